import { isUnverified } from '../../core/policy/unverified.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { BridgeLimits } from './limits.ts';

/** One that holds a session. */
export interface SessionHolder {
  readonly client: string;
  /** When it was last used (ms, monotonic); undefined while it is in use, or where its connection says itself when it ends. */
  readonly idleSince: () => number | undefined;
  /** Ends the session, because another needs its place. Its client is answered as one whose session is not known. */
  readonly giveWay: () => void;
}

/**
 * The places that there are for sessions. Where none is left, in all or in its client's part, the session that was idle for longest gives way; a client
 * takes places of others only once they are all taken.
 */
export function createSessionPlaces({ maxSessions, maxSessionsPerClient }: Pick<BridgeLimits, 'maxSessions' | 'maxSessionsPerClient'>) {
  const held = new Set<SessionHolder>();

  const makeRoom = (among: readonly SessionHolder[], most: number): void => {
    if (among.length < most) return;
    const idle = among.flatMap((holder) => holder.idleSince() === undefined ? [] : [{ holder, since: holder.idleSince() ?? 0 }]);
    const [oldest] = idle.toSorted((one, other) => one.since - other.since);
    if (oldest === undefined) throw new BursarError('FORBIDDEN', `There are ${among.length} sessions open already.`, { hint: 'Close some clients.' });
    held.delete(oldest.holder);
    oldest.holder.giveWay();
  };

  return {
    /**
     * Takes a place; the result gives it back.
     *
     * @throws {BursarError} FORBIDDEN where there is none, and no session is idle.
     */
    take(holder: SessionHolder): () => void {
      const all = [...held];
      makeRoom(all.filter(({ client }) => shareOf(client) === shareOf(holder.client)), maxSessionsPerClient);
      makeRoom([...held], maxSessions);
      held.add(holder);
      return () => void held.delete(holder);
    },
  };
}

/** Claimed names are as many as one likes. */
const shareOf = (client: string): string | undefined => (isUnverified(client) ? undefined : client);
