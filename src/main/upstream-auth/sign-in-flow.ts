import { BursarError } from '../../shared/errors/errors.ts';
import type { Grant } from './grant.ts';
import type { SignIn } from './sign-in.ts';

/** So long a sign-in waits for its owner (ms). */
const SIGN_IN_MS = 10 * 60_000;

export interface SignInFlowOptions {
  readonly upstream: string;
  readonly take: (grant: Grant) => Promise<void>;
  /** Told of each end, with why it failed; not of one whose place another has taken. */
  readonly onEnd: (error: BursarError | undefined) => void;
}

/** The one sign-in to a server that may be under way. */
export interface SignInFlow {
  readonly isOpen: boolean;
  /** Gives up what was under way, and gives the page of the new one. Throws what `prepare` throws. */
  begin(prepare: (signal: AbortSignal) => Promise<SignIn>): Promise<string>;
  /** Resolves at the end of what is under way, or when the signal aborts. */
  ended(signal: AbortSignal): Promise<void>;
  giveUp(why: string): void;
}

interface Run {
  readonly abort: AbortController;
  readonly over: PromiseWithResolvers<void>;
}

export function createSignInFlow({ upstream, take, onEnd }: SignInFlowOptions): SignInFlow {
  let open: Run | undefined;
  const giveUp = (why: string): void => open?.abort.abort(new BursarError('UPSTREAM_SIGN_IN_FAILED', why, { context: { upstream } }));

  const watch = async (run: Run, { done }: SignIn): Promise<void> => {
    try {
      const grant = await done;
      if (!run.abort.signal.aborted) await take(grant);
      finish(run, undefined);
    } catch (error) {
      finish(run, error);
    }
  };
  const finish = (run: Run, thrown: unknown): void => {
    const error = thrown === undefined || thrown instanceof BursarError ? thrown : new BursarError('UPSTREAM_SIGN_IN_FAILED', `The sign-in to the server "${upstream}" failed inside Bursar.`, { context: { upstream } });
    const isLast = open === run;
    if (isLast) open = undefined;
    run.over.resolve();
    if (isLast) onEnd(error);
  };

  return {
    get isOpen() {
      return open !== undefined;
    },
    async begin(prepare) {
      giveUp('Another sign-in to this server was begun.');
      const run: Run = { abort: new AbortController(), over: Promise.withResolvers() };
      open = run;
      const timer = setTimeout(() => run.abort.abort(new BursarError('UPSTREAM_SIGN_IN_FAILED', 'Nobody finished the sign-in in time.', { context: { upstream } })), SIGN_IN_MS);
      timer.unref();
      void run.over.promise.then(() => clearTimeout(timer));
      try {
        const signIn = await prepare(run.abort.signal);
        void watch(run, signIn);
        return signIn.url;
      } catch (error) {
        finish(run, error);
        throw error;
      }
    },
    async ended(signal) {
      if (!open || signal.aborted) return;
      const late = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => late.resolve(), { once: true });
      await Promise.race([open.over.promise, late.promise]);
    },
    giveUp,
  };
}
