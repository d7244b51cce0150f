import { base58 } from '@scure/base';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { AccountStore } from '../store/accounts.ts';
import type { PassphraseCheck } from './account-keeper.ts';
import { derivePrivateKey, ed25519PublicKey, entropyOf } from './derive.ts';
import { wordsOf } from './mnemonic.ts';
import { itemOf, keyNamespace, seedItem } from './seed-accounts.ts';
import type { SecretItem } from './secret-store.ts';

/** How a key is written: hex for EVM; for Solana base58 of the keypair, or the JSON array of a keypair file. */
export type KeyForm = 'hex' | 'base58' | 'keypair';

/** Shows the owner what nobody else may see. Each call checks the passphrase anew; no session stands for it. */
export interface SecretViewer {
  /** The words of a seed. Throws `NOT_FOUND`, `WALLET_LOCKED`, and what {@link PassphraseCheck} throws. */
  revealWords(request: { readonly seed: string; readonly passphrase: string }): Promise<readonly string[]>;
  /** An account's private key. Throws `ACCOUNT_MISSING`, `INPUT_INVALID` where it has none of that form, `WALLET_LOCKED`, and what {@link PassphraseCheck} throws. */
  exportKey(request: { readonly accountId: string; readonly form: KeyForm; readonly passphrase: string }): Promise<string>;
}

export interface ViewerOptions {
  readonly accounts: AccountStore;
  readonly requireUnlocked: () => void;
  readonly requireItem: (item: SecretItem) => Promise<Uint8Array>;
  readonly verifyPassphrase: PassphraseCheck;
}

const FORMS: Readonly<Record<'eip155' | 'solana', readonly KeyForm[]>> = { eip155: ['hex'], solana: ['base58', 'keypair'] };

export function createSecretViewer({ accounts, requireUnlocked, requireItem, verifyPassphrase }: ViewerOptions): SecretViewer {
  return {
    async revealWords({ seed: id, passphrase }) {
      requireUnlocked();
      if (!accounts.seeds.list().some((seed) => seed.id === id)) throw new BursarError('NOT_FOUND', `There is no seed ${id.slice(0, 80)}.`, { hint: 'List them with: bursar account seeds' });
      await verifyPassphrase(passphrase);
      const seed = await requireItem(seedItem(id));
      try {
        const words = wordsOf(entropyOf(seed));
        accounts.seeds.setRevealed(id, Date.now());
        return words;
      } finally {
        seed.fill(0);
      }
    },

    async exportKey({ accountId, form, passphrase }) {
      requireUnlocked();
      const account = accounts.list().find(({ id }) => id === accountId);
      if (!account) throw new BursarError('ACCOUNT_MISSING', `There is no account ${accountId.slice(0, 80)}.`);
      const item = itemOf(account);
      if (!item || (account.namespace !== 'eip155' && account.namespace !== 'solana')) {
        throw new BursarError('INPUT_INVALID', item ? `The account "${account.label}" is no key pair.` : `The account "${account.label}" is only watched: its key lies elsewhere.`, { hint: 'There is nothing to export.' });
      }
      if (!FORMS[account.namespace].includes(form)) {
        throw new BursarError('INPUT_INVALID', `The key of "${account.label}" is not written as ${form}.`, { hint: `Choose ${FORMS[account.namespace].join(' or ')}.`, context: { field: 'form' } });
      }
      await verifyPassphrase(passphrase);
      const secret = await requireItem(item);
      const key = account.source === 'seed' ? derivePrivateKey(secret, keyNamespace(account), account.path) : Uint8Array.from(secret);
      secret.fill(0);
      try {
        return write(key, form);
      } finally {
        key.fill(0);
      }
    },
  };
}

function write(key: Uint8Array, form: KeyForm): string {
  if (form === 'hex') return `0x${Buffer.from(key).toString('hex')}`;
  const keypair = Buffer.concat([key, ed25519PublicKey(key)]);
  try {
    return form === 'base58' ? base58.encode(keypair) : JSON.stringify([...keypair]);
  } finally {
    keypair.fill(0);
  }
}
