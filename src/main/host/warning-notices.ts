import type { Log } from '../../core/ports.ts';
import type { EventHub } from '../rpc/event-hub.ts';
import type { Notice } from './notifier.ts';

export interface WarningNoticesOptions {
  readonly events: Pick<EventHub, 'subscribe'>;
  /** What the owner should read now, in sentences. */
  readonly warnings: () => Promise<readonly string[]>;
  /** False where the owner wants no such notification, or looks at a window of Bursar. */
  readonly tells: () => boolean;
  readonly notify: (notice: Notice) => void;
  readonly onClick: () => void;
  readonly log: Log;
}

/** Tells the owner of each warning that was not there before. What is there at the start stands on the dashboard. */
export function startWarningNotices({ events, warnings, tells, notify, onClick, log }: WarningNoticesOptions): void {
  let known: Promise<ReadonlySet<string>> = read(new Set(), false);

  async function read(before: ReadonlySet<string>, tell: boolean): Promise<ReadonlySet<string>> {
    try {
      const now = await warnings();
      for (const sentence of now) if (tell && !before.has(sentence) && tells()) notify({ title: 'Bursar needs your attention', body: sentence, onClick });
      return new Set(now);
    } catch (error) {
      log.warn('the warnings could not be read', { reason: error instanceof Error ? error.message : String(error) });
      return before;
    }
  }

  // One after the other, so that none is told twice.
  events.subscribe(({ topic }) => {
    if (topic === 'app') known = known.then((before) => read(before, true));
  });
}
