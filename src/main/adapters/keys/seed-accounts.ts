import type { KeyNamespace } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { StoredAccount } from '../store/accounts.ts';
import { MAIN_SEED } from '../store/seeds.ts';
import { addressOfKey, derivePrivateKey, entropyOf } from './derive.ts';
import type { SecretItem } from './secret-store.ts';

/** Namespaces of which every seed gives an account. */
export const SEED_NAMESPACES = ['eip155', 'solana'] as const satisfies readonly KeyNamespace[];

export const SEED_LABELS: Readonly<Record<KeyNamespace, string>> = { eip155: 'EVM account', solana: 'Solana account' };

export const seedItem = (seed: string): SecretItem => (seed === MAIN_SEED ? 'seed' : `seed:${seed}`);

/** The item that an account's key is, or derives from; undefined for one that is only watched. */
export const itemOf = (account: StoredAccount): SecretItem | undefined => (account.source === 'watch' ? undefined : account.source === 'seed' ? seedItem(account.seed) : `account:${account.id}`);

/** How many words a seed has: three for each four bytes of entropy (BIP-39). */
export const wordCount = (seed: Uint8Array): number => (entropyOf(seed).length * 3) / 4;

/** The address at a path under a seed. */
export function addressAt(seed: Uint8Array, namespace: KeyNamespace, path: string): string {
  const key = derivePrivateKey(seed, namespace, path);
  try {
    return addressOfKey(namespace, key);
  } finally {
    key.fill(0);
  }
}

/** The kind of key of an account. Throws `DATABASE_CORRUPT` for one that can have none. */
export function keyNamespace({ id, namespace }: StoredAccount): KeyNamespace {
  if (namespace === 'eip155' || namespace === 'solana') return namespace;
  throw new BursarError('DATABASE_CORRUPT', `The account ${id} is said to come from a seed and has no key.`);
}

/** Compares the accounts of a seed with it: another address means that the store holds another wallet's seed, or that the row was changed. */
export function requireOwnAddresses(accounts: readonly StoredAccount[], seed: Uint8Array, backend: 'keychain' | 'vault', item: SecretItem): void {
  for (const account of accounts) {
    const address = addressAt(seed, keyNamespace(account), account.path);
    if (address !== account.address) throw storeError(backend, `The ${backend} holds the seed of another wallet: it gives ${address} and not ${account.address}.`, item);
  }
}

export const missingItem = (backend: 'keychain' | 'vault', item: SecretItem): BursarError => storeError(backend, `The ${backend} no longer holds the item "${item}" that was put into it.`, item);

const storeError = (backend: 'keychain' | 'vault', message: string, item: SecretItem) =>
  backend === 'keychain'
    ? new BursarError('KEYCHAIN_UNAVAILABLE', message, { context: { item }, hint: 'Restore the keychain and start Bursar again; nothing was replaced.' })
    : new BursarError('VAULT_CORRUPT', message, { context: { item } });
