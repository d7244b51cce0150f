import type { ClientCaller } from './http-gate.ts';
import type { HttpSession } from './http-session.ts';

/** A session that nobody used for this long is ended, its server with it. */
const WARM_MS = 60_000;

/**
 * Sessions for requests of MCP 2026-07-28, which name none: one for each client and server, because what a stdio server holds in its
 * memory (tasks, subscriptions, open pages) belongs to all requests of its client.
 */
export interface SharedSessions {
  of(caller: ClientCaller, upstream: string): HttpSession;
  /** Ends what has been idle for too long. */
  sweep(): void;
  /** Ends those of a client. */
  endClient(client: string): void;
  close(): Promise<void>;
}

export function createSharedSessions(open: (caller: ClientCaller, upstream: string) => HttpSession): SharedSessions {
  const sessions = new Map<string, HttpSession>();
  return {
    of(caller, upstream) {
      const key = JSON.stringify([caller.client, caller.scopes, upstream]);
      const known = sessions.get(key);
      const held = known === undefined || known.gone ? open(caller, upstream) : known;
      sessions.set(key, held);
      held.touch();
      return held;
    },
    sweep() {
      const oldest = performance.now() - WARM_MS;
      for (const [key, held] of sessions) {
        if ((held.idleSince() ?? Infinity) >= oldest) continue;
        sessions.delete(key);
        void held.close();
      }
    },
    endClient(client) {
      for (const [key, held] of sessions) {
        if (held.session.client !== client) continue;
        sessions.delete(key);
        void held.close();
      }
    },
    async close() {
      await Promise.all([...sessions.values()].map((held) => held.close()));
      sessions.clear();
    },
  };
}
