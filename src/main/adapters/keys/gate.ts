import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomically } from '../home/files.ts';
import type { Keychain } from './keychain.ts';
import { createVerifier, matchesVerifier } from './passphrase.ts';
import { createSealedKeychain } from './sealed-keychain.ts';
import type { SecretItem, SecretStore } from './secret-store.ts';
import { vaultCorrupt } from './vault-file.ts';
import type { Vault } from './vault.ts';

/** What stands between the owner's passphrase and the items: one of three, by backend and kind of money. */
export interface Gate {
  readonly secrets: SecretStore;
  /** True where the passphrase that encrypts the items lies beside them. */
  readonly passphraseBeside: boolean;
  /** True once the owner chose a passphrase. */
  readonly passphraseSet: boolean;
  /** Opens the items as far as that needs no owner; `created` says that they have to be there. False when the owner's passphrase is needed. */
  start(created: boolean): Promise<boolean>;
  /** Stores the owner's first passphrase; the items are open after it. */
  setPassphrase(passphrase: string): Promise<void>;
  /** Whether a passphrase is the owner's. The items are open after a right one. */
  check(passphrase: string): Promise<boolean>;
  /** Closes the items. */
  close(): void;
  /** Where the items can also be put under the passphrase: absent in a vault, whose items are. */
  readonly seal?: {
    readonly on: boolean;
    /** Seals these items under the owner's passphrase, which was checked, or goes on with it after a run that was cut short. */
    put(passphrase: string, items: readonly SecretItem[]): Promise<void>;
    /** Whether a sealing was cut short. */
    unfinished(): Promise<boolean>;
  };
}

/** Keychain: the operating system guards the items, and the passphrase is only compared; or, where the owner wished so, both have to open each. */
export function keychainGate(keychain: Keychain, cost: number): Gate {
  const secrets = createSealedKeychain(keychain, cost);
  const verifier = createOwnerVerifier(keychain, cost);
  return {
    secrets,
    passphraseBeside: false,
    get passphraseSet() {
      return secrets.sealed || verifier.set;
    },
    async start() {
      await keychain.probe();
      await secrets.load();
      await verifier.load();
      return !secrets.sealed;
    },
    setPassphrase: (passphrase) => verifier.store(passphrase),
    check: (passphrase) => (secrets.sealed ? secrets.unlock(passphrase) : verifier.check(passphrase)),
    close: () => secrets.lock(),
    seal: {
      get on() {
        return secrets.sealed;
      },
      async put(passphrase, items) {
        await secrets.seal(passphrase, items);
        // Last: as long as it is there, the sealing is not finished.
        await keychain.delete('owner');
      },
      unfinished: async () => secrets.sealed && (await keychain.get('owner')) !== undefined,
    },
  };
}

/** Vault under the owner's own passphrase. It is made when they choose one. */
export function ownerVaultGate(vault: Vault, path: string): Gate {
  return {
    secrets: vault,
    passphraseBeside: false,
    get passphraseSet() {
      return vault.exists();
    },
    async start(created) {
      if (created && !vault.exists()) throw vaultCorrupt(path, 'is missing');
      return false;
    },
    setPassphrase: (passphrase) => vault.create(passphrase),
    check: (passphrase) => vault.unlock(passphrase),
    close: () => vault.lock(),
  };
}

/** Vault of play money: its random passphrase lies beside it, so that nobody is asked. An owner's passphrase is only compared. */
export function besideVaultGate(vault: Vault, paths: { readonly vault: string; readonly vaultPassphrase: string }, cost: number): Gate {
  const verifier = createOwnerVerifier(vault, cost);
  const open = async (): Promise<void> => {
    if (!existsSync(paths.vaultPassphrase)) throw vaultCorrupt(paths.vault, `cannot be opened: ${paths.vaultPassphrase} is missing`);
    if (!(await vault.unlock(readFileSync(paths.vaultPassphrase, 'utf8').trim()))) {
      throw vaultCorrupt(paths.vault, `cannot be opened with the passphrase in ${paths.vaultPassphrase}`);
    }
  };
  return {
    secrets: vault,
    passphraseBeside: true,
    get passphraseSet() {
      return verifier.set;
    },
    async start(created) {
      if (!created && !vault.exists()) {
        const passphrase = randomBytes(32).toString('base64url');
        writeFileAtomically(paths.vaultPassphrase, `${passphrase}\n`);
        await vault.create(passphrase);
      } else await open();
      await verifier.load();
      return true;
    },
    setPassphrase: (passphrase) => verifier.store(passphrase),
    async check(passphrase) {
      const wasLocked = vault.locked;
      if (wasLocked) await open();
      const right = await verifier.check(passphrase);
      if (!right && wasLocked) vault.lock();
      return right;
    },
    close: () => vault.lock(),
  };
}

/** The owner's passphrase as a verifier among the items; `cost` is scrypt's N of a new one. */
function createOwnerVerifier(secrets: SecretStore, cost: number) {
  let set = false;
  return {
    get set() {
      return set;
    },
    async load(): Promise<void> {
      set = (await secrets.get('owner')) !== undefined;
    },
    async store(passphrase: string): Promise<void> {
      await secrets.set('owner', await createVerifier(passphrase, cost));
      set = true;
    },
    async check(passphrase: string): Promise<boolean> {
      const verifier = await secrets.get('owner');
      return verifier !== undefined && matchesVerifier(passphrase, verifier);
    },
  };
}
