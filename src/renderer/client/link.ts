import type { Carrier, Envelope, Topic } from '../../shared/contract/contract.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';

/** Whether main can be reached. `attempts` counts the failed tries since it last could. */
export interface LinkState {
  readonly phase: 'connecting' | 'open' | 'lost';
  readonly attempts: number;
}

/** A carrier that also tells the page whether it works at the moment. */
export interface Link extends Carrier {
  /** The same object until the state changes. */
  readonly state: () => LinkState;
  /** Calls back after every change of the state. Returns the way to stop. */
  readonly onState: (listener: () => void) => () => void;
}

/** Every topic, for the signal after a lost connection came back. Kept by hand, so that the approval page needs no zod. */
export const TOPICS = ['app', 'accounts', 'approvals', 'payments', 'policy', 'upstreams', 'clients', 'contacts', 'escrows', 'delegations', 'requests', 'owner', 'discovery', 'activity', 'settings'] as const satisfies readonly Topic[];

/** True for the name of a topic. */
export const isTopic = (value: unknown): value is Topic => TOPICS.some((topic) => topic === value);

/** True for a plain object: not null, not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isErrorInfo = (value: unknown): value is ErrorInfo =>
  isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string' && typeof value['hint'] === 'string' && isRecord(value['context']);

/** True for an answer in the contract's envelope; the value inside is not looked at. */
export const isEnvelope = (value: unknown): value is Envelope<unknown> =>
  isRecord(value) && ((value['ok'] === true && 'value' in value) || (value['ok'] === false && isErrorInfo(value['error'])));

/** An answer that the page makes itself because main's cannot be had or read. `reason` stands in the error's context. */
export const localFailure = (reason: 'link-lost' | 'no-answer' | 'unreadable', message: string, hint: string): { readonly ok: false; readonly error: ErrorInfo } => ({
  ok: false,
  error: { code: reason === 'link-lost' ? 'LINK_LOST' : 'INTERNAL', message, hint, context: { reason } },
});

/** True for an error that {@link localFailure} made because the connection was down. */
export const isLinkLost = (error: ErrorInfo): boolean => error.code === 'LINK_LOST';
