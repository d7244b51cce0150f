import { base58 } from '@scure/base';
import { getAddress, isAddress } from 'viem/utils';
import type { KeyNamespace } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';

const PUBLIC_KEY_BYTES = 32;

/** An address as it is kept: EIP-55, or base58 of 32 bytes. Throws `INPUT_INVALID`, also for a wrong EIP-55 checksum. */
export function readAddress(namespace: KeyNamespace, text: string): string {
  const address = text.trim();
  if (namespace === 'solana') {
    if (base58Length(address) !== PUBLIC_KEY_BYTES) throw invalid('is no Solana address: that is base58 of 32 bytes');
    return address;
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw invalid('is no EVM address: that is 0x and 40 hex digits');
  if (!isAddress(address)) throw invalid('has a wrong checksum: one of its characters is another one (EIP-55)');
  return getAddress(address);
}

const invalid = (why: string) => new BursarError('INPUT_INVALID', `The address ${why}.`, { context: { field: 'address' }, hint: 'Copy it anew from where it stands.' });

function base58Length(text: string): number {
  try {
    return base58.decode(text).length;
  } catch {
    return 0;
  }
}
