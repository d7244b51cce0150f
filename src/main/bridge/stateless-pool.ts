import { isSameCaller, type ClientCaller } from './http-gate.ts';
import type { HttpSession } from './http-session.ts';

/** A session that nobody used for this long is ended, its server with it. */
const WARM_MS = 60_000;

/**
 * Sessions for requests that name none (MCP 2026-07-28 has no others over HTTP). Each serves one request at a time, so
 * that ids and stray messages cannot meet; between requests it stays warm, because its server may take long to start.
 */
export interface StatelessPool {
  take(caller: ClientCaller, upstream: string): HttpSession;
  /** Gives a session back after its request. One whose request was left unanswered is ended. */
  giveBack(held: HttpSession): void;
  /** Ends what has been idle for too long. */
  sweep(): void;
  /** Ends those of a client. */
  endClient(client: string): void;
  close(): Promise<void>;
}

export function createStatelessPool(open: (caller: ClientCaller, upstream: string) => HttpSession): StatelessPool {
  const idle = new Set<HttpSession>();
  let closed = false;
  return {
    take(caller, upstream) {
      for (const held of idle) {
        if (!isSameCaller(held.session, caller) || held.session.upstream !== upstream) continue;
        idle.delete(held);
        if (!held.gone) return held;
      }
      return open(caller, upstream);
    },
    giveBack(held) {
      if (closed || held.gone || held.session.unfinished) return void held.close();
      held.touch();
      idle.add(held);
    },
    sweep() {
      const oldest = performance.now() - WARM_MS;
      for (const held of idle) {
        if ((held.idleSince() ?? Infinity) >= oldest) continue;
        idle.delete(held);
        void held.close();
      }
    },
    endClient(client) {
      for (const held of idle) {
        if (held.session.client !== client) continue;
        idle.delete(held);
        void held.close();
      }
    },
    async close() {
      closed = true;
      await Promise.all([...idle].map((held) => held.close()));
      idle.clear();
    },
  };
}
