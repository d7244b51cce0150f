import type { Choice } from '../../core/payments/choose-offer.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import { formatUnits } from '../../shared/money/money.ts';

/** What an order would cost as a sentence, with a space behind it: amount, network, and fees at most. */
export function costWords({ terms, asset, fees }: Choice, type: 'direct' | 'escrow'): string {
  const named = fees.map(({ asset: { symbol, decimals }, units }) => `${formatUnits(units, decimals)} ${symbol}`).join(' and ');
  return `It would ${type === 'escrow' ? 'put into escrow' : 'send'} ${formatUnits(terms.amount, asset.decimals)} ${asset.symbol} on ${requireNetwork(terms.network).name}${named === '' ? '' : `, with network fees of at most ${named}`}. `;
}

/** So long (ms) a call that waits for the owner waits for it too: its client gives it up soon, and has to learn before that there is something to come back to. */
const SOON_MS = 2_000;

/** {@link costWords} of a quote that comes soon; empty where none does. Never rejects. */
export async function costSoon(quote: (signal: AbortSignal) => Promise<{ readonly choice: Choice; readonly type: 'direct' | 'escrow' }>, signal: AbortSignal, soonMs = SOON_MS): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(soonMs)]);
  const { promise: late, resolve } = Promise.withResolvers<string>();
  limit.addEventListener('abort', () => resolve(''), { once: true });
  if (limit.aborted) return '';
  return Promise.race([late, quote(limit).then(({ choice, type }) => costWords(choice, type), () => '')]);
}
