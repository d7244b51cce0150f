import type { ServerResponse } from 'node:http';
import type { Bridge } from './bridge.ts';
import type { ClientChannel } from './channel.ts';
import type { ClientSession } from './client-session.ts';
import { isSameCaller, type ClientCaller } from './http-gate.ts';
import { eventStream } from './http-reply.ts';

/** Clients of the 2024-11-05 transport (HTTP with SSE): one stream for all that they hear, and an address to post to. */
export interface LegacyClients {
  /** Makes this response the stream of a new session. */
  open(response: ServerResponse, caller: ClientCaller, upstream: string): void;
  /** The session of that id, if it is this client's. */
  sessionOf(id: string | null, caller: ClientCaller, upstream: string): ClientSession | undefined;
  close(): Promise<void>;
}

export function createLegacyClients(bridge: Bridge): LegacyClients {
  const sessions = new Map<string, ClientSession>();
  return {
    open(response, caller, upstream) {
      const main: ClientChannel = {
        streams: true,
        get open() {
          return !response.writableEnded && !response.destroyed;
        },
        write: (text, { done } = {}) => stream.write(text, done),
        end: () => undefined,
      };
      const session = bridge.connect({ ...caller, upstream, main });
      const endpoint = `/mcp/${encodeURIComponent(upstream)}/messages?sessionId=${session.id}`;
      const stream = eventStream(response, {}, (slow) => session.setSlow(main, slow), `event: endpoint\ndata: ${endpoint}\n\n`);
      sessions.set(session.id, session);
      response.on('close', () => {
        sessions.delete(session.id);
        void session.close();
      });
    },
    sessionOf(id, caller, upstream) {
      const session = id === null ? undefined : sessions.get(id);
      return session && isSameCaller(session, caller) && session.upstream === upstream ? session : undefined;
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()));
    },
  };
}
