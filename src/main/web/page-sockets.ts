import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Log } from '../../core/ports.ts';
import { RequestFrame, type ServerFrame } from '../../shared/contract/contract.ts';
import type { Caller } from '../rpc/caller.ts';
import type { EventHub } from '../rpc/event-hub.ts';
import type { Router } from '../rpc/router.ts';
import { createRateCap, type SocketLimits } from './socket-limits.ts';

/** Close codes (RFC 6455, section 7.4). */
const UNREADABLE = 1007;
const TOO_MUCH = 1008;
const GOING_AWAY = 1001;

export interface PageSocketsOptions {
  readonly router: Router;
  readonly events: EventHub;
  /** Called with the connection's name once it closed. */
  readonly disconnected: (connection: string) => void;
  readonly log: Log;
  readonly limits: SocketLimits;
}

export interface PageSockets {
  /** Takes over an upgrade request that was checked already. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, surface: Caller['surface']): void;
  readonly full: boolean;
  close(): void;
}

/** The contract over WebSockets: `RequestFrame` in, `ServerFrame` out, each connection its own caller. */
export function createPageSockets({ router, events, disconnected, log, limits }: PageSocketsOptions): PageSockets {
  const server = new WebSocketServer({ noServer: true, clientTracking: true, perMessageDeflate: false, maxPayload: limits.maxFrameBytes });

  const serve = (socket: WebSocket, caller: Caller): void => {
    const mayRequest = createRateCap(limits);
    let alive = true;

    const send = (frame: ServerFrame): void => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > limits.maxBufferedBytes) return socket.terminate();
      socket.send(JSON.stringify(frame));
    };
    const refuse = (code: number, reason: string): void => {
      log.warn('a page connection was ended', { connection: caller.connection, reason });
      socket.close(code, reason);
    };
    const received = async (data: RawData, binary: boolean): Promise<void> => {
      if (!mayRequest()) return refuse(TOO_MUCH, 'too many requests');
      const frame = binary || !Buffer.isBuffer(data) ? undefined : readFrame(data.toString('utf8'));
      if (frame === undefined) return refuse(UNREADABLE, 'unreadable frame');
      send({ id: frame.id, reply: await router.dispatch(frame.route, frame.input, caller) });
    };

    const unsubscribe = events.subscribe((event) => send({ event }));
    const ping = setInterval(() => {
      if (!alive) return socket.terminate();
      alive = false;
      socket.ping();
    }, limits.pingEveryMs);
    ping.unref();
    socket.on('pong', () => (alive = true));
    socket.on('message', (data, binary) => void received(data, binary));
    // ws closes the connection itself (1009 for a frame that is too large); only the reason is of interest.
    socket.on('error', (error) => log.warn('a page connection failed', { connection: caller.connection, reason: error.message }));
    socket.on('close', () => {
      clearInterval(ping);
      unsubscribe();
      disconnected(caller.connection);
    });
  };

  return {
    get full() {
      return server.clients.size >= limits.maxConnections;
    },
    accept(request, socket, head, surface) {
      const { origin } = request.headers;
      const caller: Caller = { surface, connection: `web:${randomUUID()}`, host: 'headless', ...(origin !== undefined && { origin }) };
      server.handleUpgrade(request, socket, head, (page) => serve(page, caller));
    },
    close() {
      for (const socket of server.clients) {
        socket.close(GOING_AWAY, 'Bursar ends');
        socket.terminate();
      }
      server.close();
    },
  };
}

function readFrame(text: string): RequestFrame | undefined {
  try {
    return RequestFrame.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
