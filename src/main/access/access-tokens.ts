import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/ports.ts';
import type { Scope } from '../../shared/access/scopes.ts';
import { hashToken, type ClientToken } from '../bridge/http-gate.ts';

/** How long an access token is good (ms). A client asks for another one by itself. */
export const TOKEN_LIFETIME_MS = 15 * 60_000;

/** So many tokens of one client are valid at a time; one more ends the oldest. */
const MOST_PER_CLIENT = 32;

export interface TokenGrant {
  readonly client: string;
  readonly scopes: readonly Scope[];
  /** The path that it is for (RFC 8707). */
  readonly audience?: string;
}

/** Opaque access tokens, known by their hashes and in memory alone: a restart ends them all, and a client then asks anew. */
export interface AccessTokens {
  /** The token's text, given out this once. */
  issue(grant: TokenGrant): string;
  /** Those that are valid now. */
  current(): readonly ClientToken[];
  /** Ends every token of a client. */
  endClient(client: string): void;
}

interface Issued extends ClientToken {
  readonly issuedAt: number;
}

export function createAccessTokens({ clock }: { readonly clock: Pick<Clock, 'now'> }): AccessTokens {
  let issued: readonly Issued[] = [];

  // A clock that was set back must not make a token live longer.
  const isValid = ({ issuedAt }: Issued): boolean => Math.abs(clock.now() - issuedAt) < TOKEN_LIFETIME_MS;
  const current = (): readonly Issued[] => {
    if (!issued.every(isValid)) issued = issued.filter(isValid);
    return issued;
  };

  return {
    issue(grant) {
      const token = `brs_at_${randomBytes(32).toString('base64url')}`;
      const own = current().filter(({ client }) => client === grant.client);
      const superfluous = own.slice(0, Math.max(0, own.length + 1 - MOST_PER_CLIENT));
      issued = [...issued.filter((entry) => !superfluous.includes(entry)), { ...grant, sha256: hashToken(token), issuedAt: clock.now() }];
      return token;
    },
    current,
    endClient(client) {
      issued = issued.filter((entry) => entry.client !== client);
    },
  };
}
