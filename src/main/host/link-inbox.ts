import type { Log } from '../../core/ports.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { pageOfLink } from './deep-links.ts';

export interface LinkTarget {
  /** Opens a page of the dashboard. */
  readonly show: (page: string) => void;
  readonly log: Log;
}

/** Where links of the system wait until there are windows, and are held to the pages that they may open. */
export interface LinkInbox {
  /** Takes a link; of those that come too early the newest is kept. */
  take(link: string): void;
  /** From now on links are followed, or ignored and logged. */
  open(target: LinkTarget): void;
}

export function createLinkInbox(): LinkInbox {
  let waiting: string | undefined;
  let target: LinkTarget | undefined;
  const take = (link: string): void => {
    if (target === undefined) return void (waiting = link);
    const page = pageOfLink(link);
    if (page === undefined) target.log.warn('a link was ignored', { link: cleanText(link, 200) });
    else target.show(page);
  };
  return {
    take,
    open(next) {
      target = next;
      if (waiting !== undefined) take(waiting);
      waiting = undefined;
    },
  };
}
