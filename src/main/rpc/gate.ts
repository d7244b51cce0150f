import type { Access } from '../../shared/contract/route.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Caller } from './caller.ts';
import type { OwnerSessions } from './owner-sessions.ts';

export interface Gate {
  /** True where this caller may decide and change things only within an owner session. */
  ownerSessionNeeded(caller: Caller): boolean;
  /** Throws `FORBIDDEN` when the surface may not use such a route, `OWNER_REQUIRED` when its owner session is missing. */
  require(access: Access, caller: Caller): void;
}

/** What each surface may do at all: a page that can answer changes no setting but by a rule that main proposed beside the request, and one that changes settings cannot answer (I7). */
const ALLOWED: Readonly<Record<Caller['surface'], readonly Access[]>> = {
  dashboard: ['read', 'owner'],
  approval: ['read', 'decide'],
  cli: ['read', 'owner'],
  'cli-approval': ['read', 'decide'],
};

/**
 * The rules of `Access` (contract, route.ts). With real money the headless page and the command line need an owner session;
 * Electron's own windows do not, because no other program can load its pages.
 */
export function createGate({ realMoney, sessions }: { readonly realMoney: boolean; readonly sessions: OwnerSessions }): Gate {
  const ownerSessionNeeded = (caller: Caller): boolean => realMoney && (caller.host === 'headless' || caller.surface === 'cli' || caller.surface === 'cli-approval');
  return {
    ownerSessionNeeded,
    require(access, caller) {
      if (!ALLOWED[caller.surface].includes(access)) throw new BursarError('FORBIDDEN', `The ${caller.surface} surface may not do this.`);
      if (access !== 'read' && ownerSessionNeeded(caller) && sessions.until(caller.connection) === undefined) {
        throw new BursarError('OWNER_REQUIRED', 'This needs an owner session, and this connection has none.');
      }
    },
  };
}
