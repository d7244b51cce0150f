import { getAddress, isAddress } from 'viem/utils';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import type { Asset } from '../../core/registry/assets.ts';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** The payee of an offer in EIP-55 form. Throws `PAYEE_INVALID`. */
export function payeeOf(offer: Pick<Offer, 'payee'>, asset: Asset): string {
  const refused = (why: string) => new BursarError('PAYEE_INVALID', `It wants to be paid at ${offer.payee.slice(0, 80)}, which ${why}.`);
  // Strict: where letters are of both cases they are a checksum, and it must be right.
  if (!isAddress(offer.payee)) throw refused('is no valid address');
  const payee = getAddress(offer.payee);
  if (payee === ZERO_ADDRESS) throw refused('is the zero address');
  if (payee === asset.address) throw refused('is the token contract itself');
  return payee;
}
