import type { ClientChannel } from './channel.ts';
import type { Exchange, RequestTable } from './exchange.ts';
import { idKey } from './request-id.ts';
import type { MessageScan } from './scan.ts';

/**
 * Where a message of the server goes that answers nothing: to the exchange it came with; else to the call whose progress
 * it reports; else, where a single exchange is open, to that; else to the main channel.
 */
export function channelFor(text: string, { kind, fields }: MessageScan, from: Exchange | undefined, requests: RequestTable, main: ClientChannel): ClientChannel {
  if (isUsable(from)) return from.channel;
  // A late answer to nothing must not get into another call's stream.
  if (kind === 'response') return main;
  const token = fields['params.progressToken'];
  const inProgress = token === undefined ? undefined : requests.byProgress(idKey(text, token))?.exchange;
  if (isUsable(inProgress)) return inProgress.channel;
  const open = [...new Set(requests.all().map(({ exchange }) => exchange))].filter(isUsable);
  const [first] = open;
  return first === undefined || (main.open && open.length > 1) ? main : first.channel;
}

const isUsable = (exchange: Exchange | undefined): exchange is Exchange => exchange !== undefined && exchange.channel.open && exchange.channel.streams;
