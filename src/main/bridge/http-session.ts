import type { ServerResponse } from 'node:http';
import type { Bridge } from './bridge.ts';
import type { ClientChannel } from './channel.ts';
import { eventStream, type EventStream } from './http-reply.ts';
import type { Session } from './session.ts';

/** What the server says of its own accord is kept until the client opens its stream, up to this many messages. */
const KEPT_MESSAGES = 256;

/** One `Mcp-Session-Id`. */
export interface HttpSession {
  readonly session: Session;
  /** Makes this response the session's stream; an older one ends. */
  openStream(response: ServerResponse): void;
  /** When it was last used, and whether it is in use now. */
  idleSince(): number | undefined;
  touch(): void;
  close(): Promise<void>;
}

/** Opens a session whose main channel is the client's GET stream. */
export function openHttpSession(bridge: Bridge, client: string, upstream: string): HttpSession {
  const kept: string[] = [];
  let response: ServerResponse | undefined;
  let stream: EventStream | undefined;
  let lastUse = performance.now();

  const main: ClientChannel = {
    streams: true,
    get open() {
      return stream !== undefined;
    },
    write(text, { done } = {}) {
      if (stream !== undefined) return stream.write(text, done);
      kept.push(text);
      if (kept.length > KEPT_MESSAGES) {
        kept.shift();
        bridge.log.warn('a client does not fetch what its server says; the oldest message was dropped', { client, upstream });
      }
      done?.(false);
    },
    end: () => undefined,
  };
  const session = bridge.connect({ client, upstream, main });

  return {
    session,
    openStream(next) {
      response?.end();
      response = next;
      stream = eventStream(next, { 'mcp-session-id': session.id }, (slow) => session.setSlow(main, slow));
      next.on('close', () => {
        if (response !== next) return;
        response = undefined;
        stream = undefined;
        lastUse = performance.now();
        session.setSlow(main, false);
      });
      for (const text of kept.splice(0)) stream.write(text);
    },
    idleSince: () => (stream !== undefined || session.openRequests > 0 ? undefined : lastUse),
    touch() {
      lastUse = performance.now();
    },
    async close() {
      response?.end();
      await session.close();
    },
  };
}
