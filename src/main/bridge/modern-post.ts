import type { IncomingMessage, ServerResponse } from 'node:http';
import { AGGREGATE } from './aggregate/names.ts';
import type { Bridge } from './bridge.ts';
import { ExchangeChannel, type ClientChannel } from './channel.ts';
import { withFreshIds } from './fresh-ids.ts';
import { postReply } from './http-reply.ts';
import type { ClientCaller } from './http-gate.ts';
import type { HttpSession } from './http-session.ts';
import { stringAt } from './json-text.ts';
import { refuseModern, statusOfAnswer } from './modern-edge.ts';
import type { PayloadScan } from './scan.ts';
import { createServerSays, type ServerSays } from './server-says.ts';
import { createSharedSessions } from './shared-sessions.ts';

/** One POST of MCP 2026-07-28. */
export interface ModernPost {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: ClientCaller;
  readonly upstream: string;
  readonly text: string;
  readonly scan: PayloadScan;
  /** The client's headers of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  readonly acceptsStream: boolean;
}

export interface ModernPosts {
  post(post: ModernPost): void;
  sweep(): void;
  endClient(client: string): void;
  close(): Promise<void>;
}

/** Requests of MCP 2026-07-28. In front of a stdio server, Bursar does what that protocol asks of an HTTP server. */
export function createModernPosts(bridge: Bridge, open: (caller: ClientCaller, upstream: string) => HttpSession): ModernPosts {
  const shared = createSharedSessions(open);
  // As long as a session lives, so does the server that said it.
  const wordsOf = new WeakMap<HttpSession, ServerSays>();
  const heard = (held: HttpSession): ServerSays => {
    const words = wordsOf.get(held) ?? createServerSays();
    wordsOf.set(held, words);
    return words;
  };

  return {
    post({ request, response, caller, upstream, text, scan, headers, acceptsStream }) {
      // All servers together are a server of Bursar's own.
      const fronts = upstream === AGGREGATE || bridge.transportOf(upstream) === 'stdio';
      const held = shared.of(caller, upstream);
      const { session } = held;
      const says = heard(held);
      const refusal = fronts ? refuseModern(request.headers, text, scan, says) : undefined;
      if (refusal !== undefined) return void response.writeHead(400, { 'content-type': 'application/json' }).end(refusal);
      const expectsAnswer = scan.messages.some(({ kind }) => kind === 'request');
      if (!expectsAnswer) {
        session.accept(text, { scan, headers });
        return void response.writeHead(202).end();
      }
      const onSlow = (own: ClientChannel, slow: boolean): void => session.setSlow(own, slow);
      const reply = postReply(response, acceptsStream, { onSlow, ...(fronts && { statusOf: statusOfAnswer }) });
      const fresh = fronts ? withFreshIds(text, scan) : undefined;
      const method = stringAt(text, scan.messages[0]?.fields.method) ?? '';
      const translated = (message: string): string => {
        if (fronts) says.learn(method, message);
        return fresh === undefined ? message : fresh.restore(message);
      };
      const channel = new ExchangeChannel({
        streams: reply.streams,
        isOpen: () => reply.open,
        write: (message, options) => reply.write(translated(message), options),
        end: () => reply.end(),
      });
      const exchange = session.accept(fresh?.text ?? text, { headers, channel, ...(fresh === undefined && { scan }) });
      response.on('close', () => {
        session.setSlow(reply, false);
        session.cancel(exchange);
      });
    },
    sweep: () => shared.sweep(),
    endClient: (client) => shared.endClient(client),
    close: () => shared.close(),
  };
}
