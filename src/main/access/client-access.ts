import { isUnverified, claimedName } from '../../core/policy/unverified.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { EXECUTE_SCOPE, USUAL_SCOPES, type Scope } from '../../shared/access/scopes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { ClientStore } from '../adapters/store/clients.ts';
import type { ClientCaller } from '../bridge/http-gate.ts';

/** How often it is written down that a client is there (ms). */
const SEEN_EVERY_MS = 60_000;

/** What each client may do now. */
export interface ClientAccess {
  /** None for a client that is not there (any more). */
  scopesOf(caller: ClientCaller): readonly Scope[];
  /** Throws `SCOPE_MISSING` where the client may not do this now. */
  require(scope: Scope, caller: ClientCaller): void;
  /** The same for what every paid call needs. */
  requireMayPay(caller: ClientCaller): void;
  /** False for a name that was revoked, whether it is proved or only claimed. */
  admits(client: string): boolean;
  /** Notes that a client is there, once a minute at most. */
  seen(client: string): void;
}

export interface ClientAccessDeps {
  readonly clients: ClientStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Called when it was written down that a client came. */
  readonly changed: () => void;
}

/**
 * A client has what the owner allows it at this moment, and no more than its token names. A name that is only claimed has what clients
 * usually have, and no more than the client of that name: so claiming can only narrow.
 */
export function createClientAccess({ clients, clock, log, changed }: ClientAccessDeps): ClientAccess {
  const lastSeen = new Map<string, number>();

  const granted = (client: string): readonly Scope[] => {
    const known = clients.find(claimedName(client))?.scopes;
    if (!isUnverified(client)) return known ?? [];
    if (clients.isRevoked(claimedName(client))) return [];
    return known === undefined ? USUAL_SCOPES : USUAL_SCOPES.filter((scope) => known.includes(scope));
  };
  const scopesOf = ({ client, scopes }: ClientCaller): readonly Scope[] => (scopes === undefined ? granted(client) : granted(client).filter((scope) => scopes.includes(scope)));

  const require = (scope: Scope, caller: ClientCaller): void => {
    if (scopesOf(caller).includes(scope)) return;
    const { client } = caller;
    const what = scope === EXECUTE_SCOPE ? 'have calls paid' : 'do this';
    throw new BursarError('SCOPE_MISSING', `The client "${client}" may not ${what}: it lacks the scope ${scope}.`, { context: { client, scope } });
  };

  return {
    scopesOf,
    require,
    requireMayPay: (caller) => require(EXECUTE_SCOPE, caller),
    admits: (client) => !clients.isRevoked(claimedName(client)),
    seen(client) {
      const now = clock.now();
      if (Math.abs(now - (lastSeen.get(client) ?? Number.NEGATIVE_INFINITY)) < SEEN_EVERY_MS || isUnverified(client)) return;
      lastSeen.set(client, now);
      try {
        clients.setLastSeen(client, now);
        changed();
      } catch (error) {
        // A full disk stops payments, with its own words; it must not cut off whoever only looks.
        log.warn('it could not be written down that a client came', { client, reason: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}
