import { existsSync } from 'node:fs';
import type { Config } from '../home/config.ts';
import type { Home } from '../home/home.ts';
import type { AccountStore } from '../store/accounts.ts';
import { besideVaultGate, keychainGate, ownerVaultGate, type Gate } from './gate.ts';
import { createKeychain, keychainWorks, type Keychain } from './keychain.ts';
import { createKeys, type Wallet } from './keys.ts';
import { createAttempts, DEFAULT_COST, type Attempts } from './passphrase.ts';
import { createVault } from './vault.ts';

export interface OpenKeysOptions {
  readonly home: Home;
  readonly accounts: AccountStore;
  /** Takes a vault at the first run although a keychain may be there, for folders that are thrown away. Ignored once recorded. */
  readonly preferVault?: boolean;
  readonly keychain?: Keychain;
  readonly attempts?: Attempts;
  /** scrypt's N for a new passphrase; tests lower it. */
  readonly cost?: number;
}

/**
 * The wallet of a data folder. Where its keys lie is chosen once, at the first run: the keychain if it works, else a vault. That choice is
 * recorded and never changes by itself: a recorded keychain that fails its probe throws `KEYCHAIN_UNAVAILABLE`.
 */
export async function openKeys({ home, accounts, preferVault = false, keychain = createKeychain(home.config().homeId), attempts = createAttempts(), cost = DEFAULT_COST }: OpenKeysOptions): Promise<Wallet> {
  const recorded = recordedKeys(home) ?? record(home, preferVault || !(await keychainWorks(keychain)) ? 'vault' : 'keychain', false);
  return createKeys({
    gate: gateFor(home, recorded.backend, keychain, cost),
    accounts,
    attempts,
    created: recorded.created,
    recordCreated: () => void record(home, recorded.backend, true),
  });
}

/** The recorded choice, unless it is a vault that still waits for the owner's passphrase: nothing is in it, so the keychain is tried again. */
function recordedKeys(home: Home): KeysConfig | undefined {
  const { keys } = home.config();
  return keys?.backend === 'vault' && !keys.created && !existsSync(home.paths.vault) ? undefined : keys;
}

type KeysConfig = NonNullable<Config['keys']>;

function record(home: Home, backend: KeysConfig['backend'], created: boolean): KeysConfig {
  const keys = { backend, created };
  home.update({ keys });
  return keys;
}

/** What guards the items of a folder, by where they lie and its kind of money. */
export function gateFor(home: Pick<Home, 'environment' | 'paths'>, backend: KeysConfig['backend'], keychain: Keychain, cost: number): Gate {
  if (backend === 'keychain') return keychainGate(keychain, cost);
  const vault = createVault(home.paths.vault, { cost });
  return home.environment === 'sandbox' ? besideVaultGate(vault, home.paths, cost) : ownerVaultGate(vault, home.paths.vault);
}
