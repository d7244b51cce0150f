import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApprovals, VISIBLE_BEFORE_ANSWER_MS } from '../../src/core/payments/approvals.ts';
import type { Outcome, PaidCall } from '../../src/core/payments/call.ts';
import { createPayments } from '../../src/core/payments/pay.ts';
import { createReconciler } from '../../src/core/payments/reconcile.ts';
import { createRelease } from '../../src/core/payments/release.ts';
import { assetsInForce } from '../../src/core/policy/policy-assets.ts';
import type { Account, Keys, Log, PolicyInForce, Rail } from '../../src/core/ports.ts';
import { NETWORKS } from '../../src/core/registry/networks.ts';
import { createSignatures } from '../../src/main/adapters/signatures.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { createHistory } from '../../src/main/adapters/store/history.ts';
import { createJournal } from '../../src/main/adapters/store/journal.ts';
import { createSolanaAccounts } from '../../src/main/adapters/chain/solana-accounts.ts';
import { createExactEvm } from '../../src/main/rails/exact-evm.ts';
import { createExactSvm } from '../../src/main/rails/exact-svm.ts';
import { BursarError } from '../../src/shared/errors/errors.ts';
import { baseUnits } from '../../src/shared/money/money.ts';
import { defaultPolicy, type Policy } from '../../src/shared/policy/policy.ts';
import { evmAccount, solanaAccount } from '../unit/rails/fixtures.ts';
import { ManualClock, settle } from './manual-clock.ts';

/** Keys of this world alone: everybody may read them here. */
const EVM_KEY = new Uint8Array(32).fill(0x11);
const SOLANA_KEY = new Uint8Array(32).fill(0x22);
const BLOCKHASH = '4NCYB3kRT8sCNodPNuCZo8VUh4xqpBQxsxed2wd9xaD4';
const log: Log = { debug() {}, info() {}, warn() {}, error(message, fields) { throw new Error(`${message} ${JSON.stringify(fields)}`); } };

export interface SigningWorldOptions {
  readonly policy?: Partial<Policy>;
  readonly now?: number;
}

export type SigningWorld = Awaited<ReturnType<typeof createSigningWorld>>;

/**
 * The whole payment core over a journal on disk, with the real rails and test keys: what they sign is real. Only the chain is missing:
 * every account is rich, and nothing ever settles.
 */
export async function createSigningWorld({ policy = {}, now = Date.UTC(2026, 0, 15, 12) }: SigningWorldOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-signing-'));
  const db = openDatabase(join(folder, 'bursar.db'));
  const clock = new ManualClock(now);
  const accounts: readonly Account[] = [evmAccount(EVM_KEY), await solanaAccount(SOLANA_KEY)];
  let inForce: PolicyInForce = { number: 1, policy: { ...defaultPolicy('UTC'), caps: [], otherwise: 'allow', ...policy } };
  const policies = { current: () => inForce };
  let lent = 0;

  const keys: Keys = {
    locked: false,
    accounts: () => accounts,
    async use(accountId, work) {
      lent++;
      return await work(Uint8Array.from(accountId === accounts[0]?.id ? EVM_KEY : SOLANA_KEY));
    },
  };
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const observe: Rail['observe'] = async () => ({ state: 'open', why: 'there is no chain here' });
  const noAccounts = createSolanaAccounts(() => {
    throw new BursarError('CHAIN_UNREACHABLE', 'There is no chain here.');
  });
  const assets = assetsInForce(policies);
  const rails: readonly Rail[] = [
    createExactEvm({ keys, random, assets, observe }),
    createExactSvm({ keys, random, assets, accounts: () => noAccounts, observe, latestBlockhash: async () => ({ blockhash: BLOCKHASH, lastValidBlockHeight: 1000n, slot: 900n }) }),
  ];

  const journal = createJournal(db, clock);
  const changed = () => {};
  const integrity = { requireSound: () => {}, alarm: new AbortController().signal, mayRecord: () => true };
  const approvals = createApprovals({ clock, random, changed });
  const reconciler = createReconciler({ journal, integrity, rails, clock, log, changed });
  const signatures = createSignatures();
  const release = createRelease({ journal, rails, reconciler, signatures, clock, log, changed });
  const payments = createPayments({
    journal,
    policies,
    approvals,
    integrity,
    release,
    keys,
    rails,
    clock,
    random,
    signatures,
    changed,
    patience: () => 3_600_000,
    chain: { networks: () => NETWORKS.map(({ id }) => id), balance: async () => baseUnits(10n ** 30n) },
  });
  const history = createHistory(db);

  return {
    clock,
    payments,
    journal,
    accounts,
    /** How often a key was lent. */
    get signatures() {
      return lent;
    },
    rows: () => history.page({ limit: 500 }).payments,
    setPolicy(change: Partial<Policy>) {
      inForce = { number: inForce.number + 1, policy: { ...inForce.policy, ...change } };
    },

    /** Hands a call over, with an owner who approves whatever is asked. */
    async pay(call: Omit<PaidCall, 'client' | 'session' | 'seenIn' | 'startedAt' | 'signal' | 'progress'>): Promise<Outcome> {
      const state = { done: false };
      const outcome = payments
        .onAnswer({ client: 'agent', session: 's1', seenIn: () => '', startedAt: clock.now(), signal: new AbortController().signal, progress: () => {}, ...call })
        .finally(() => {
          state.done = true;
        });
      while (!state.done) {
        await settle();
        const [waiting] = approvals.waiting();
        if (!waiting) continue;
        approvals.report({ paymentId: waiting.payment.id, visible: true });
        await clock.advance(VISIBLE_BEFORE_ANSWER_MS);
        approvals.decide({ paymentId: waiting.payment.id, termsDigest: waiting.payment.termsDigest, nonce: waiting.nonce, decision: 'approve' }, () => {});
      }
      return outcome;
    },

    close() {
      reconciler.stop();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
