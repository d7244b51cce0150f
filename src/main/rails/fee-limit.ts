import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Fee } from '../../core/ports.ts';
import { coinOf } from '../../core/registry/coins.ts';

/** The most of the network's coin that was held for fees; undefined where nobody set a limit. */
export function feeLimit({ network }: Pick<Terms, 'network'>, fees: readonly Fee[] | undefined): bigint | undefined {
  const { address } = coinOf(network);
  return fees?.reduce((sum, { asset, units }) => (asset.network === network && asset.address === address ? sum + units : sum), 0n);
}

/** Why nothing is signed: it costs more by now than what was held for it (I3). */
export function feeRisen({ network }: Pick<Terms, 'network'>, cost: bigint): BursarError {
  const { symbol, decimals } = coinOf(network);
  return new BursarError('APPROVAL_STALE', `The network's fee has risen since it was looked at; it is up to ${formatUnits(cost, decimals, 2)} ${symbol} now.`, { hint: 'Nothing was sent; the call may be repeated.' });
}
