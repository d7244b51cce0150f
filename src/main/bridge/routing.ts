import type { ClientChannel } from './channel.ts';
import type { Exchange, RequestTable } from './exchange.ts';
import { idKey } from './request-id.ts';
import type { MessageScan } from './scan.ts';

/**
 * Where a message of the server goes that answers nothing: to the exchange it came with; else to the call whose progress
 * it reports or the subscription that it serves; else, where a single exchange is open, to that; else to the main channel.
 */
export function channelFor(text: string, { kind, fields }: MessageScan, from: Exchange | undefined, requests: RequestTable, main: ClientChannel): ClientChannel {
  if (isUsable(from)) return from.channel;
  // A late answer to nothing must not get into another call's stream.
  if (kind === 'response') return main;
  const token = fields['params.progressToken'];
  const subscription = fields['params._meta.io.modelcontextprotocol/subscriptionId'];
  const concerned = (token && requests.byProgress(idKey(text, token))) ?? (subscription && requests.byId(idKey(text, subscription)));
  if (isUsable(concerned?.exchange)) return concerned.exchange.channel;
  // Into the stream of a subscription comes nothing but what was subscribed to (MCP 2026-07-28, Subscriptions).
  const open = [...new Set(requests.all().filter(({ subscribes }) => !subscribes).map(({ exchange }) => exchange))].filter(isUsable);
  const [first] = open;
  return first === undefined || (main.open && open.length > 1) ? main : first.channel;
}

const isUsable = (exchange: Exchange | undefined): exchange is Exchange => exchange !== undefined && exchange.channel.open && exchange.channel.streams;
