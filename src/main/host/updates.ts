import type { Clock, Log } from '../../core/ports.ts';

/** What may be done about a newer version: put it in place, or only say that there is one. */
export type UpdateKind = 'install' | 'notice';

/** Where newer versions come from. */
export interface UpdateSource {
  readonly kind: UpdateKind;
  /** Asks the feed; undefined where nothing is newer. Rejects where it cannot be reached. */
  check(): Promise<{ readonly version: string } | undefined>;
  /** Fetches what `check` found, and checks it. */
  download(): Promise<void>;
  /** Ends this process and starts the new version. Everything else has ended before. */
  install(): void;
}

export interface UpdatesOptions {
  readonly source: UpdateSource;
  /** What the owner set; read each time. */
  readonly wanted: () => boolean;
  /** True while no approval waits and no payment is between its signature and its settlement. */
  readonly idle: () => boolean;
  /** Calls back when that may have changed; gives the way to stop. */
  readonly onChange: (listener: () => void) => () => void;
  /** Asks the owner whether a version may be put in place. */
  readonly ask: (version: string) => Promise<boolean>;
  /** Says that there is a version, which the owner installs by themselves. */
  readonly tell: (version: string) => void;
  /** Ends everything but the host. */
  readonly end: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The first look comes when the start is over, the next ones each day. */
const FIRST_MS = 60_000;
const EVERY_MS = 24 * 3_600_000;

export interface Updates {
  stop(): void;
}

/** Looks for newer versions. Nothing of it happens while a payment is under way, and nothing is fetched or put in place unasked. */
export function startUpdates({ source, wanted, idle, onChange, ask, tell, end, clock, log }: UpdatesOptions): Updates {
  /** Versions that the owner heard of since the start; they are not asked twice. */
  const told = new Set<string>();
  let stopped = false;
  let callOff: (() => void) | undefined;

  const whenIdle = (): Promise<void> =>
    new Promise((resolve) => {
      if (idle()) return resolve();
      const stop = onChange(() => {
        if (!idle()) return;
        stop();
        resolve();
      });
    });

  const look = async (): Promise<void> => {
    if (!wanted()) return;
    await whenIdle();
    const found = await source.check();
    if (found === undefined || told.has(found.version)) return;
    await whenIdle();
    // It may have been turned off while a payment was waited for.
    if (stopped || !wanted()) return;
    told.add(found.version);
    if (source.kind === 'notice') return tell(found.version);
    if (!(await ask(found.version))) return;
    await source.download();
    await whenIdle();
    // Between this and the end of the bridge no call can come in: both are one turn of the event loop.
    await end();
    source.install();
  };

  const wait = (ms: number): void => {
    callOff = clock.after(ms, () => {
      look()
        .catch((error: unknown) => log.warn('looking for a newer version failed', { reason: error instanceof Error ? error.message : String(error) }))
        .finally(() => !stopped && wait(EVERY_MS));
    });
  };
  wait(FIRST_MS);
  return {
    stop() {
      stopped = true;
      callOff?.();
    },
  };
}
