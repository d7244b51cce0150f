import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { RetryEdit, ServerAnswer, ToolListing } from '../challenges/answer.ts';
import type { Pin } from '../policy/pins.ts';
import type { SeenIn } from '../policy/provenance.ts';

/** The most that one call may cost, where whoever makes it says so: whole tokens (`1.50`) of whatever token is asked for, or its base units. */
export interface CallLimit {
  readonly amount: string;
  readonly unit: 'tokens' | 'units';
}

/** What the owner agreed to beforehand, when they approved an endpoint. */
export interface Agreed {
  readonly url: string;
  readonly prices: readonly Pick<Pin, 'network' | 'asset' | 'amount' | 'payee'>[];
}

/** A call that a server answered with a request for money, as the bridge hands it over. */
export interface PaidCall {
  readonly client: string;
  /** The client's connection; session caps count by it. */
  readonly session: string;
  /** Where an address was first seen in what servers told this client's agent. */
  readonly seenIn: SeenIn;
  readonly upstream: string;
  readonly tool: string;
  /** JSON text of the arguments. */
  readonly argumentsText: string;
  readonly answer: ServerAnswer;
  /** What `tools/list` said of this tool, where the client asked for it. */
  readonly listing?: ToolListing;
  /** The dialect in which this tool last asked for money. */
  readonly lastDialect?: string;
  readonly limit?: CallLimit;
  /** Throws where the client may not have anything paid, or may no longer: asked again at every step until the signature. */
  readonly requireMayPay?: () => void;
  /** Anything dearer, or for another payee or token, asks. */
  readonly agreed?: Agreed;
  /** When the client made the call (ms). */
  readonly startedAt: number;
  /** Aborts when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Sends the call again with the proof in it and resolves with the answer. Rejects when none can come. */
  retry(edit: RetryEdit, signal: AbortSignal): Promise<ServerAnswer>;
  /** Tells the client that it has to wait. */
  progress(message: string): void;
}

/** What becomes of a call. */
export type Outcome =
  /** It asked for nothing: the answer goes on untouched. */
  | { readonly kind: 'pass' }
  /** The server's answer to the paid call. `delivered` must be told whether it reached the client. */
  | { readonly kind: 'answer'; readonly responseText: string; readonly paymentId: string; delivered(written: boolean): void }
  /** The owner has not decided, and the client cannot wait any longer: the same call again goes on from here. */
  | { readonly kind: 'pending'; readonly paymentId: string; readonly expiresAt: number }
  /** No answer can be given; the reason is for the agent. */
  | { readonly kind: 'refusal'; readonly error: ErrorInfo; readonly paymentId: string };
