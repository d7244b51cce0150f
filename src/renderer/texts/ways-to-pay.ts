// What owners read in place of the ids of dialects and schemes; the ids themselves stand in raw details and on the command line.

/** How a server asks, by the id of the dialect. */
const DIALECTS: Readonly<Record<string, string>> = {
  'x402-mcp': 'x402 (tool result)',
  'x402-text': 'x402 (plain text)',
  'x402-error': 'x402 (tool error)',
  'x402-error-meta': 'x402 (tool error)',
  'x402-http': 'x402 (HTTP)',
  'x402-http-prefixed': 'x402 (HTTP)',
  'x402-v1-http': 'x402 version 1 (HTTP)',
  'x402-split-headers': 'x402 (HTTP)',
  'x402-paymcp': 'x402 (PayMCP)',
  'x402-vercel': 'x402 (Vercel)',
  mpp: 'MPP',
  'mpp-http': 'MPP (HTTP)',
  mpx: 'MPX',
  order: 'Sent by Bursar',
  'transfer-proof': 'Transfer first, proof after',
};

/** The name of a dialect; its id where it has none. */
export const dialectName = (id: string): string => DIALECTS[id] ?? id;

/** What an account pays with: money on a chain, a card, or a secret for tests that moves nothing. */
export type WayToPay = 'chain' | 'card' | 'test';

/** The kind of an account or network, by its CAIP-2 id or namespace. */
export function wayToPay(network: string): WayToPay {
  if (network.startsWith('stripe')) return 'card';
  return network.startsWith('dev') ? 'test' : 'chain';
}
