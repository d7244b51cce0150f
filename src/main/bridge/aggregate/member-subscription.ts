import type { ClientChannel } from '../channel.ts';
import type { Exchange } from '../exchange.ts';
import { freshId } from '../request-id.ts';
import type { MessageScan } from '../scan.ts';
import type { Session } from '../session.ts';
import { messagesOf } from './messages.ts';
import { withMeta } from './modern.ts';

/** A subscription that a server has ended is opened again after so long, and twice as long after each further try. */
const AGAIN_MS = 1_000;
const AGAIN_MOST_MS = 60_000;

export interface MemberSubscriptionOptions {
  /** The session with the server; undefined once it is over. */
  readonly session: () => Session | undefined;
  /** Raw JSON of what requests say of the client. */
  readonly clientMeta: () => string | undefined;
  /** What the server is to tell (MCP 2026-07-28, Subscriptions). */
  readonly wanted: object;
  readonly onMessage: (text: string, message: MessageScan) => void;
}

/** Keeps a `subscriptions/listen` open at a server. Gives the way to end it. */
export function subscribe({ session, clientMeta, wanted, onMessage }: MemberSubscriptionOptions): () => void {
  let stopped = false;
  let pauseMs = AGAIN_MS;
  let exchange: Exchange | undefined;

  const again = (): void => {
    setTimeout(listen, pauseMs).unref();
    pauseMs = Math.min(pauseMs * 2, AGAIN_MOST_MS);
  };
  const channel: ClientChannel = {
    open: true,
    streams: true,
    write(text, { done } = {}) {
      for (const { message, text: one } of messagesOf(text)) {
        if (message.kind === 'response') again();
        else {
          pauseMs = AGAIN_MS;
          onMessage(one, message);
        }
      }
      done?.(true);
    },
    end: () => undefined,
  };
  const listen = (): void => {
    const at = session();
    if (stopped || at === undefined) return;
    const params = withMeta(`{"notifications":${JSON.stringify(wanted)}}`, clientMeta());
    exchange = at.accept(`{"jsonrpc":"2.0","id":${JSON.stringify(freshId())},"method":"subscriptions/listen","params":${params}}`, { channel });
  };
  listen();
  return () => {
    stopped = true;
    if (exchange !== undefined) session()?.cancel(exchange);
  };
}
