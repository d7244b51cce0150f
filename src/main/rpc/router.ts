import type { Log } from '../../core/ports.ts';
import { ROUTES, type Envelope, type ParsedRouteInput, type RouteName, type RouteOutput } from '../../shared/contract/contract.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import { BursarError, knownError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { Caller } from './caller.ts';
import type { Gate } from './gate.ts';
import { parseInput } from './parse-input.ts';

/** What answers each route. A handler may throw; a {@link BursarError} reaches the caller as it is. */
export type Handlers = {
  readonly [N in RouteName]: (input: ParsedRouteInput<N>, caller: Caller) => RouteOutput<N> | Promise<RouteOutput<N>>;
};

export interface Router {
  /** Answers one request of any carrier. Never throws and never rejects. */
  dispatch(route: string, input: unknown, caller: Caller): Promise<Envelope<unknown>>;
}

/** Something that a person did or tried, with the code of why it was refused; empty where it was done. */
export interface Act {
  readonly route: RouteName;
  readonly input: unknown;
  /** What was answered; undefined where it was refused. It may hold what was just made and shown: a key, a token. */
  readonly answer?: unknown;
  readonly caller: Caller;
  readonly outcome: ErrorCode | '';
}

export interface RouterOptions {
  readonly handlers: Handlers;
  readonly gate: Pick<Gate, 'require'>;
  readonly log: Log;
  /**
   * Asked before each request: throws `PRESENCE_REQUIRED` where the act takes proof that the owner is there, and uses that proof up. What it returns
   * gives it back, where nothing came of the act.
   */
  readonly takeProof?: (route: RouteName, input: unknown, caller: Caller) => (() => void) | undefined;
  /** Called when the owner did something: whatever changes or decides, and unlocking. */
  readonly ownerActed?: () => void;
  /** Called with every act of a person, done or refused by its handler. */
  readonly acted?: (act: Act) => void;
}

/**
 * The one way from a carrier into main: gate by surface, parse, proof of presence, handle, envelope. The output is parsed too, so that a field which
 * the contract does not name never leaves main (I6).
 */
export function createRouter({ handlers, gate, log, takeProof, ownerActed, acted }: RouterOptions): Router {
  const answer = async (route: string, input: unknown, caller: Caller): Promise<unknown> => {
    if (!isRouteName(route)) throw new BursarError('NOT_FOUND', 'There is no request of that name.');
    const { access, output } = ROUTES[route];
    gate.require(access, caller);
    const parsed = parseInput(route, input);
    const handle = handlers[route] as (input: unknown, caller: Caller) => unknown;
    const act = (outcome: Act['outcome'], given?: unknown): void => {
      if (isOwnersAct(route)) acted?.({ route, input: parsed, answer: given, caller, outcome });
    };
    const giveBack = takeProof?.(route, parsed, caller);
    const answered = await (async () => handle(parsed, caller))().catch((error: unknown) => {
      giveBack?.();
      act(toErrorInfo(error).code);
      throw error;
    });
    const value = output.parse(answered);
    act('', value);
    if (isOwnersAct(route)) ownerActed?.();
    return value;
  };

  return {
    async dispatch(route, input, caller) {
      try {
        return { ok: true, value: await answer(route, input, caller) };
      } catch (error) {
        if (knownError(error)) return { ok: false, error: toErrorInfo(error) };
        // The cause may quote what must not leave main; the log has it, the caller gets a plain sentence.
        log.error('a request failed', { route, surface: caller.surface, stack: error instanceof Error ? error.stack : String(error) });
        return { ok: false, error: toErrorInfo(new BursarError('INTERNAL', `The request ${route} failed inside Bursar.`)) };
      }
    },
  };
}

/** What pages ask by themselves, also because an agent asked for something, although not everybody may. */
const BY_THEMSELVES: readonly RouteName[] = ['approvals.report', 'approvals.current', 'approvals.inFull', 'contacts.list'];

/** What neither shows something nor is done by pages by themselves was done by a person. */
const isOwnersAct = (route: RouteName): boolean =>
  route === 'owner.unlock' || route === 'owner.setPassphrase' || route === 'presence.prove' || (ROUTES[route].access !== 'read' && !BY_THEMSELVES.includes(route));

const isRouteName = (route: string): route is RouteName => Object.hasOwn(ROUTES, route);
