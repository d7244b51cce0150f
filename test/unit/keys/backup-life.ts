import { createAccounts } from '../../../src/main/adapters/store/accounts.ts';
import { createIntegrity } from '../../../src/main/adapters/store/integrity.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import { createUpstreams } from '../../../src/main/adapters/store/upstreams.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createBackup } from '../../../src/main/adapters/backup/create-backup.ts';
import { guardedSettings } from '../../../src/main/settings/guarded-settings.ts';
import { openHome } from '../../../src/main/adapters/home/home.ts';
import { createKeychain, type Keychain } from '../../../src/main/adapters/keys/keychain.ts';
import { openKeys } from '../../../src/main/adapters/keys/open-keys.ts';
import { systemClock } from '../../../src/main/adapters/clock.ts';
import type { Environment } from '../../../src/shared/contract/app.ts';
import { created, newPayment, use } from '../store/payments.ts';

export const PASSPHRASE = 'correct horse';
export const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
export const EVM_KEY = 'd1'.repeat(32);
export const HEADER = 'Bearer canary-of-an-upstream';

export interface LifeOptions {
  readonly folder: string;
  readonly environment: Environment;
  /** The one of the machine without it. */
  readonly keychain?: (homeId: string) => Keychain;
  readonly preferVault?: boolean;
}

export type Life = Awaited<ReturnType<typeof open>>;

/** One life of the application's stores over a data folder, unlocked. */
export async function life<T>(options: LifeOptions, work: (running: Life) => Promise<T>): Promise<T> {
  const running = await open(options);
  try {
    return await work(running);
  } finally {
    await running.close();
  }
}

async function open({ folder, environment, keychain = createKeychain, preferVault = false }: LifeOptions) {
  const home = openHome({ environment, home: folder });
  const db = openDatabase(home.paths.database);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const integrity = createIntegrity({ db, clock: systemClock, log, settings: guardedSettings(home, () => undefined), changed: () => undefined });
  const journal = createJournal(db, systemClock, integrity);
  const policies = createPolicies(db, systemClock, { timeZone: 'UTC', guard: integrity });
  const wallet = await openKeys({ home, accounts: createAccounts(db), keychain: keychain(home.config().homeId), preferVault, cost: 2 ** 10 });
  if (!wallet.passphraseSet) await wallet.setPassphrase(PASSPHRASE);
  if (wallet.locked) await wallet.unlock(PASSPHRASE);
  await integrity.open(wallet.ledger);
  const at = Date.now();
  const reserve = (id: string) => journal.atomically((tx) => tx.insert(newPayment(id, { createdAt: at } as object), [use(7n, { at })], created));
  return {
    home,
    integrity,
    journal,
    policies,
    wallet,
    upstreams: createUpstreams(db, systemClock, wallet.sealer),
    reserve,
    sign(id: string) {
      reserve(id);
      journal.atomically((tx) => {
        integrity.requireSpend();
        return tx.change(id, { decision: 'approved', money: 'outstanding', proofText: '{"p":1}', track: { nonce: `0x${id}` }, outstandingUntil: at + 600_000 }, created);
      });
    },
    /** What the owner accepted so far. */
    accepted: (): readonly unknown[] => db.prepare('SELECT findings FROM ledger_acceptances').pluck().all(),
    async close() {
      await integrity.close();
      db.close();
      home.close();
    },
    used: () => journal.atomically((tx) => tx.used(policies.current().policy, 0, { at: Date.now(), session: 's1' })),
    allow() {
      const { number, policy } = policies.current();
      return policies.save({ basedOn: number, policy: { ...policy, caps: [{ over: {}, window: 'day', unit: 'USD', amount: '5.00' }], otherwise: 'allow' }, author: 'owner' });
    },
    backup: (path: string) => createBackup({ home, db, wallet, path, passphrase: PASSPHRASE, version: '0.1.0', now: 1_700_000_000_000, cost: 2 ** 10 }),
  };
}

/** Fills a folder with one of everything: a restored seed, imported keys, a watched address, a server with a secret, a policy, payments. */
export async function fill({ wallet, upstreams, allow, reserve, sign }: Life): Promise<void> {
  const [old] = await wallet.importMnemonic({ label: 'Old', words: WORDS });
  await wallet.deriveAccount({ namespace: 'solana', label: 'More', seed: old!.seed });
  await wallet.deriveAccount({ namespace: 'eip155', label: 'Own second' });
  await wallet.importAccount({ namespace: 'eip155', label: 'Key', secret: EVM_KEY });
  await wallet.addSecret({ namespace: 'stripe', label: 'Card', address: 'pm_1', secret: '{"card":1}' });
  wallet.watch({ namespace: 'eip155', label: 'Cold', address: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' });
  await upstreams.add('weather', { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: HEADER } });
  allow();
  sign('p1');
  reserve('p2');
}

/** Everything that a restore has to bring back. */
export async function everything({ wallet, upstreams, policies, journal, used }: Life) {
  return {
    accounts: wallet.allAccounts(),
    seeds: wallet.seeds().map(({ id, label, words }) => [id, label, words]),
    keys: await Promise.all(wallet.accounts().filter(({ source }) => source !== 'watch').map(({ id }) => wallet.use(id, (key) => Buffer.from(key).toString('hex')))),
    upstream: await upstreams.transport('weather'),
    policy: policies.current(),
    payments: journal.unresolved(),
    used: used(),
  };
}

