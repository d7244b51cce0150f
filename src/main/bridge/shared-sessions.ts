import type { HttpSession } from './http-session.ts';

/** A session that nobody used for this long is ended, its server with it. */
const WARM_MS = 60_000;

/**
 * Sessions for requests of MCP 2026-07-28, which name none: one for each client and server, because what a stdio server holds in its
 * memory (tasks, subscriptions, open pages) belongs to all requests of its client.
 */
export interface SharedSessions {
  of(client: string, upstream: string): HttpSession;
  /** Ends what has been idle for too long. */
  sweep(): void;
  close(): Promise<void>;
}

export function createSharedSessions(open: (client: string, upstream: string) => HttpSession): SharedSessions {
  const sessions = new Map<string, HttpSession>();
  return {
    of(client, upstream) {
      const key = JSON.stringify([client, upstream]);
      const held = sessions.get(key) ?? open(client, upstream);
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
    async close() {
      await Promise.all([...sessions.values()].map((held) => held.close()));
      sessions.clear();
    },
  };
}
