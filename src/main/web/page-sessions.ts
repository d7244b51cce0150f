import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../core/ports.ts';

/** Addresses that may be printed and not yet opened; the oldest is forgotten for one more. */
const MAX_TOKENS = 16;
/** Browsers that may be signed in; the one unused for longest is forgotten for one more. */
const MAX_SESSIONS = 16;
/** A session that was not used for so long has ended. */
const IDLE_MS = 24 * 60 * 60_000;

/** What a browser is given when it signs in. Either half alone opens no connection. */
export interface PageSecrets {
  /** For the cookie, which the browser also sends to every other port of `localhost`. */
  readonly cookie: string;
  /** For the page itself, which keeps it in the storage of its own origin: scheme, host and port. */
  readonly key: string;
}

/** One-time tokens and the sessions that they open. Only hashes are held, and only in memory: a restart ends them all. */
export interface PageSessions {
  /** A new token that opens one session. */
  issueToken(): string;
  /** Uses the token up. Returns the new session's secrets, or undefined where the token is not (any more) valid. */
  redeem(token: string): PageSecrets | undefined;
  /** True for the cookie of a session that lasts, which is enough for the files of a page; counts as a use of it. */
  has(cookie: string): boolean;
  /** True for the cookie of a session that lasts together with the key of the same session; counts as a use of it. */
  admits(secrets: PageSecrets): boolean;
}

export function createPageSessions({ clock }: { readonly clock: Pick<Clock, 'now'> }): PageSessions {
  const tokens = new Set<string>();
  /** By hash of the cookie, the least recently used first. */
  const sessions = new Map<string, { readonly key: string; readonly usedAt: number }>();

  /** Hash of the session's key. */
  const use = (cookie: string): string | undefined => {
    const name = hash(cookie);
    const session = sessions.get(name);
    if (session === undefined) return undefined;
    sessions.delete(name);
    if (clock.now() - session.usedAt > IDLE_MS) return undefined;
    sessions.set(name, { ...session, usedAt: clock.now() });
    return session.key;
  };

  return {
    issueToken() {
      const token = newSecret();
      tokens.add(hash(token));
      dropFirst(tokens, MAX_TOKENS);
      return token;
    },
    redeem(token) {
      if (!tokens.delete(hash(token))) return undefined;
      const secrets = { cookie: newSecret(), key: newSecret() };
      sessions.set(hash(secrets.cookie), { key: hash(secrets.key), usedAt: clock.now() });
      dropFirst(sessions, MAX_SESSIONS);
      return secrets;
    },
    has: (cookie) => use(cookie) !== undefined,
    admits: ({ cookie, key }) => use(cookie) === hash(key),
  };
}

const newSecret = (): string => randomBytes(32).toString('base64url');

// Looking up the hash tells a guesser nothing by its timing.
const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

function dropFirst(held: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean }, max: number): void {
  const first = held.size > max ? held.keys().next() : undefined;
  if (first !== undefined && first.done !== true) held.delete(first.value);
}
