import { randomBytes } from 'node:crypto';
import type { Account, Keys } from '../../core/ports.ts';
import type { KeyNamespace } from '../../core/registry/networks.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { addressOfKey } from '../adapters/keys/derive.ts';
import type { Wallet } from '../adapters/keys/keys.ts';

/** What escrows need of the wallet. */
export type EscrowSeed = Pick<Wallet, 'useEscrow' | 'locked'>;

const ACCOUNT = 'escrow';

/** A number that no escrow of this seed ever had, also where another database counted: 62 random bits in two steps of a path. */
export function newKeyIndex(): string {
  const bytes = randomBytes(8);
  return `${bytes.readUInt32BE(0) & 0x7fffffff}/${bytes.readUInt32BE(4) & 0x7fffffff}`;
}

/** The address of an escrow's key. Throws `WALLET_LOCKED`. */
export const escrowAddress = (seed: EscrowSeed, namespace: KeyNamespace, index: string): Promise<string> => seed.useEscrow(namespace, index, (key) => addressOfKey(namespace, key));

export const escrowAccount = (namespace: KeyNamespace, address: string): Account => ({ id: ACCOUNT, label: 'Escrow', namespace, address, source: 'seed' });

/** The key of one escrow, as the rails take keys. A key that does not give the address is not lent: the row was changed then. */
export const escrowKeys = (seed: EscrowSeed, { namespace, address, index }: { readonly namespace: KeyNamespace; readonly address: string; readonly index: string }): Keys => ({
  get locked() {
    return seed.locked;
  },
  accounts: () => [escrowAccount(namespace, address)],
  use: (_id, work) =>
    seed.useEscrow(namespace, index, (key) => {
      if (addressOfKey(namespace, key) !== address) throw new BursarError('DATABASE_CORRUPT', 'The number of an escrow does not lead to its account.');
      return work(key);
    }),
});

/** The key that a claim link brought. Each use gets a copy, which is wiped. */
export function linkKeys(namespace: KeyNamespace, secret: string): Keys & { readonly account: Account } {
  const lend = async <T>(work: (key: Uint8Array) => T | Promise<T>): Promise<T> => {
    const key = Uint8Array.from(Buffer.from(secret, 'hex'));
    try {
      return await work(key);
    } finally {
      key.fill(0);
    }
  };
  const key = Uint8Array.from(Buffer.from(secret, 'hex'));
  const account = escrowAccount(namespace, addressOf(namespace, key));
  key.fill(0);
  return { account, locked: false, accounts: () => [account], use: (_id, work) => lend(work) };
}

function addressOf(namespace: KeyNamespace, key: Uint8Array): string {
  try {
    return addressOfKey(namespace, key);
  } catch {
    throw new BursarError('CLAIM_LINK_INVALID', 'The claim link holds no key of its network.');
  }
}
