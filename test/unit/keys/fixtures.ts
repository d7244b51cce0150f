import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../../src/shared/contract/app.ts';
import { openHome, type Home } from '../../../src/main/adapters/home/home.ts';
import type { Keychain } from '../../../src/main/adapters/keys/keychain.ts';
import type { Wallet } from '../../../src/main/adapters/keys/keys.ts';
import { openKeys } from '../../../src/main/adapters/keys/open-keys.ts';
import { createAttempts } from '../../../src/main/adapters/keys/passphrase.ts';
import { createAccounts } from '../../../src/main/adapters/store/accounts.ts';
import { openDatabase, type Db } from '../../../src/main/adapters/store/database.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';

export type MemoryKeychain = Keychain & { readonly items: Map<string, Uint8Array>; working: boolean };

/** A keychain in memory, with the two faults that real ones have: not answering, and saying that nothing is there. */
export function memoryKeychain(): MemoryKeychain {
  const requireWorking = (): void => {
    if (!keychain.working) throw new BursarError('KEYCHAIN_UNAVAILABLE', 'The keychain did not work: test.');
  };
  const keychain: MemoryKeychain = {
    backend: 'keychain',
    items: new Map(),
    working: true,
    async get(item) {
      requireWorking();
      const secret = keychain.items.get(item);
      return secret && Uint8Array.from(secret);
    },
    async set(item, secret) {
      requireWorking();
      keychain.items.set(item, Uint8Array.from(secret));
    },
    async delete(item) {
      requireWorking();
      keychain.items.delete(item);
    },
    probe: async () => requireWorking(),
  };
  return keychain;
}

/** A data folder that can be closed and opened again, as by a restart. */
export interface Machine {
  readonly folder: string;
  readonly keychain: MemoryKeychain;
  readonly home: Home;
  readonly db: Db;
  start(): Promise<Wallet>;
  stop(): void;
}

export function createMachine(folder: string, environment: Environment): Machine {
  const keychain = memoryKeychain();
  let running: { readonly home: Home; readonly db: Db } | undefined;
  const stop = (): void => {
    running?.db.close();
    running?.home.close();
    running = undefined;
  };
  onTestFinished(stop);
  return {
    folder: join(folder, 'home'),
    keychain,
    get home() {
      return running!.home;
    },
    get db() {
      return running!.db;
    },
    start() {
      stop();
      const home = openHome({ environment, home: join(folder, 'home') });
      running = { home, db: openDatabase(home.paths.database) };
      return openKeys({ home, accounts: createAccounts(running.db), keychain, attempts: createAttempts(async () => undefined), cost: 2 ** 10 });
    },
    stop,
  };
}
