import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../core/ports.ts';

/** Addresses that may be printed and not yet opened; the oldest is forgotten for one more. */
const MAX_TOKENS = 16;
/** Browsers that may be signed in; the one unused for longest is forgotten for one more. */
const MAX_SESSIONS = 16;
/** A session that was not used for so long has ended. */
const IDLE_MS = 24 * 60 * 60_000;

/** One-time tokens and the sessions that they open. Only hashes are held, and only in memory: a restart ends them all. */
export interface PageSessions {
  /** A new token that opens one session. */
  issueToken(): string;
  /** Uses the token up. Returns the new session's secret, or undefined where the token is not (any more) valid. */
  redeem(token: string): string | undefined;
  /** True for the secret of a session that lasts; counts as a use of it. */
  has(secret: string): boolean;
}

export function createPageSessions({ clock }: { readonly clock: Pick<Clock, 'now'> }): PageSessions {
  const tokens = new Set<string>();
  /** Last use by hash of the secret, the least recently used first. */
  const sessions = new Map<string, number>();

  return {
    issueToken() {
      const token = newSecret();
      tokens.add(hash(token));
      dropFirst(tokens, MAX_TOKENS);
      return token;
    },
    redeem(token) {
      if (!tokens.delete(hash(token))) return undefined;
      const secret = newSecret();
      sessions.set(hash(secret), clock.now());
      dropFirst(sessions, MAX_SESSIONS);
      return secret;
    },
    has(secret) {
      const key = hash(secret);
      const usedAt = sessions.get(key);
      if (usedAt === undefined) return false;
      sessions.delete(key);
      if (clock.now() - usedAt > IDLE_MS) return false;
      sessions.set(key, clock.now());
      return true;
    },
  };
}

const newSecret = (): string => randomBytes(32).toString('base64url');

// Looking up the hash tells a guesser nothing by its timing.
const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

function dropFirst(held: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean }, max: number): void {
  const first = held.size > max ? held.keys().next() : undefined;
  if (first !== undefined && first.done !== true) held.delete(first.value);
}
