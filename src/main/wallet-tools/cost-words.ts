import type { Choice } from '../../core/payments/choose-offer.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import { formatUnits } from '../../shared/money/money.ts';

/** What an order would cost as a sentence, with a space behind it: amount, network, and fees at most. */
export function costWords({ terms, asset, fees }: Choice, type: 'direct' | 'escrow'): string {
  const named = fees.map(({ asset: { symbol, decimals }, units }) => `${formatUnits(units, decimals)} ${symbol}`).join(' and ');
  return `It would ${type === 'escrow' ? 'put into escrow' : 'send'} ${formatUnits(terms.amount, asset.decimals)} ${asset.symbol} on ${requireNetwork(terms.network).name}${named === '' ? '' : `, with network fees of at most ${named}`}. `;
}
