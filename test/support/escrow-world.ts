import { createApprovals } from '../../src/core/payments/approvals.ts';
import { createPayments } from '../../src/core/payments/pay.ts';
import { createReconciler } from '../../src/core/payments/reconcile.ts';
import { createRelease } from '../../src/core/payments/release.ts';
import type { Account, Clock, Keys, Rail } from '../../src/core/ports.ts';
import { coinOf } from '../../src/core/registry/coins.ts';
import { REGISTERED } from '../../src/core/registry/assets.ts';
import type { Chains } from '../../src/main/adapters/chain/chains.ts';
import { createSeed, derivePrivateKey } from '../../src/main/adapters/keys/derive.ts';
import { createSealer } from '../../src/main/adapters/keys/sealer.ts';
import { createSignatures } from '../../src/main/adapters/signatures.ts';
import { createContacts } from '../../src/main/adapters/store/contacts.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { createEscrowStore } from '../../src/main/adapters/store/escrows.ts';
import { createJournal } from '../../src/main/adapters/store/journal.ts';
import { createMailStore } from '../../src/main/adapters/store/mail-settings.ts';
import { createTransferEvm } from '../../src/main/rails/transfer-evm.ts';
import { createTransferSvm } from '../../src/main/rails/transfer-svm.ts';
import { createOrders, type Sender } from '../../src/main/wallet/orders.ts';
import { createEscrows } from '../../src/main/escrow/escrows.ts';
import { BursarError } from '../../src/shared/errors/errors.ts';
import { defaultPolicy } from '../../src/shared/policy/policy.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../src/sandbox/networks.ts';
import { evmAccount, random, solanaAccount } from '../unit/rails/fixtures.ts';

const SEED = createSeed(new Uint8Array(16).fill(7));
const silent = { debug() {}, info() {}, warn() {}, error() {} };
export const PAGE_URL = 'https://claims.example/pay/';

export interface Owner {
  readonly accounts: readonly Account[];
  readonly keys: Keys;
}

/** Two accounts, one on each kind of network. */
export async function createOwner(): Promise<Owner> {
  const secrets = [random(32), random(32)] as const;
  const accounts = [evmAccount(secrets[0]), await solanaAccount(secrets[1])];
  const use: Keys['use'] = async (id, work) => work(Uint8Array.from(secrets[accounts.findIndex((account) => account.id === id)] ?? []));
  return { accounts, keys: { locked: false, accounts: () => accounts, use } };
}

export interface EscrowWorldOptions {
  /** The database file; another run of the process over the same one goes on where the last stopped. */
  readonly path: string;
  readonly owner: Owner;
  readonly chains: Chains;
  readonly facilitators: readonly string[];
  readonly clock: Clock;
  readonly pageUrl?: string;
  /** Whether the keys are locked now. */
  readonly locked?: () => boolean;
  /** What was changed from outside; empty where nothing was. */
  readonly finding?: () => string;
  /** Stands in for what a rail sends, and is where a process may die. */
  readonly dying?: (rail: Rail) => Rail['submit'];
}

/** Escrows over the payment core, a journal on disk, and the real rails and facilitators. */
export function startEscrowWorld({ path, owner: { keys }, chains, facilitators, clock, pageUrl = PAGE_URL, locked = () => false, finding = () => '', dying }: EscrowWorldOptions) {
  const real = [
    createTransferEvm({ keys, transactions: () => chains.evmTransactions, observe: chains.observeTransferEvm }),
    createTransferSvm({ keys, random, latestBlockhash: chains.latestBlockhash, accounts: () => chains.solanaAccounts, observe: chains.observeTransferSvm, send: chains.sendSolana }),
  ];
  const rails = real.map((rail): Rail => {
    const submit = dying?.(rail);
    return submit ? { ...rail, submit } : rail;
  });
  const db = openDatabase(path);
  const journal = createJournal(db, clock);
  const sealer = createSealer(() => {
    if (locked()) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    return new Uint8Array(32).fill(3);
  });
  const changed = () => {};
  const integrity = {
    requireSound() {
      if (finding() !== '') throw new BursarError('SETTINGS_CHANGED', finding());
    },
    alarm: new AbortController().signal,
    mayRecord: () => finding() === '',
    requireWhole: async () => integrity.requireSound(),
  };
  const fees = ([EVM_NETWORK, SOLANA_NETWORK] as const).map((network) => ({ over: {}, window: 'day' as const, unit: `${network}/${network.startsWith('eip155:') ? 'erc20' : 'token'}:${coinOf(network).address}`, amount: '1000000' }));
  const policy = { ...defaultPolicy('UTC'), caps: fees, rules: [{ when: { dialect: 'order' }, verdict: 'allow' as const }] };
  const reconciler = createReconciler({ journal, integrity, rails, clock, log: silent, changed });
  const signatures = createSignatures();
  const release = createRelease({ journal, rails, reconciler, signatures, clock, log: silent, changed });
  const approvals = createApprovals({ clock, random, changed });
  const choosing = { policies: { current: () => ({ number: 1, policy }) }, keys, rails, chain: chains };
  const payments = createPayments({ ...choosing, journal, approvals, integrity, release, clock, random, signatures, changed, patience: () => 60_000 });
  const orders = createOrders({ ...choosing, payments, clock });
  const store = createEscrowStore(db, clock, sealer);
  const mail = createMailStore(db, sealer);
  const contacts = createContacts(db, clock, sealer);
  const claims = { pageUrl, expiryDays: 14 };
  const parts = createEscrows({
    orders,
    store,
    integrity,
    mail,
    contacts,
    seed: { locked: false, useEscrow: async (namespace, index, work) => work(derivePrivateKey(SEED, namespace, `m/1'/${index.replace('/', "'/")}'`)) },
    random,
    clock,
    log: silent,
    assets: REGISTERED,
    shownAssets: REGISTERED,
    chains: () => chains,
    networks: () => chains.networks(),
    facilitators: () => facilitators,
    claims: () => claims,
    changed,
  });
  reconciler.recover();
  const sender = (): Sender => ({ client: 'agent', session: 's1', seenIn: () => '', signal: new AbortController().signal, progress() {} });
  return {
    ...parts,
    /** The first column of the first row. */
    read: (sql: string): unknown => db.prepare(sql).pluck().get(),
    /** Everything is in the one file then. */
    checkpoint: (): void => void db.pragma('wal_checkpoint(TRUNCATE)'),
    /** Changes the database as another program could. */
    tamper: (sql: string): void => void db.exec(sql),
    mail,
    contacts,
    approvals,
    /** Sends to somebody whom the owner knows, so that the rule of this world allows it without asking. */
    async send(change: Partial<Parameters<typeof parts.sendTo>[0]> = {}) {
      const order = { tool: 'send_to_email', kind: 'email' as const, to: 'ada@example.org', amount: '1.5', token: 'USDC', memo: 'lunch', byOwner: false, ...change };
      const known = await contacts.list();
      if (order.kind === 'email' && !known.some(({ email }) => email === order.to)) await contacts.add({ name: 'Ada', email: order.to, phone: '', note: '', addresses: [] });
      return parts.sendTo(order, sender());
    },
    byContact: parts.send,
    sender,
    stop() {
      parts.sweep.stop();
      reconciler.stop();
      db.close();
    },
  };
}
export type EscrowWorld = ReturnType<typeof startEscrowWorld>;
