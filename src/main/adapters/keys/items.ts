import type { SecretItem } from './secret-store.ts';
import { itemOf, seedItem } from './seed-accounts.ts';
import type { AccountStore } from '../store/accounts.ts';

/**
 * Every item of a wallet but the verifier of the passphrase or the seal under it, which a restore makes anew. A keychain cannot be asked what it holds, so this
 * follows from accounts and seeds.
 */
export const itemsOf = (accounts: Pick<AccountStore, 'list' | 'seeds'>): readonly SecretItem[] => [
  ...new Set<SecretItem>(['seed', 'data-key', 'integrity', ...accounts.seeds.list().map(({ id }) => seedItem(id)), ...accounts.list().flatMap((account) => itemOf(account) ?? [])]),
];
