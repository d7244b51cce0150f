import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApprovals, VISIBLE_BEFORE_ANSWER_MS } from '../../src/core/payments/approvals.ts';
import type { Outcome, PaidCall } from '../../src/core/payments/call.ts';
import { createCancellations } from '../../src/core/payments/cancel.ts';
import { createKeptAnswers } from '../../src/core/payments/kept-answers.ts';
import { createOutputSchemas } from '../../src/core/payments/output-schemas.ts';
import { createPayments } from '../../src/core/payments/pay.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { createReconciler } from '../../src/core/payments/reconcile.ts';
import { createRelease } from '../../src/core/payments/release.ts';
import type { Account, Fee, Integrity, Keys, Observation, Prices, Rail } from '../../src/core/ports.ts';
import { createSchemaCheck } from '../../src/main/adapters/schema-check.ts';
import { createSignatures } from '../../src/main/adapters/signatures.ts';
import { createHistory } from '../../src/main/adapters/store/history.ts';
import { createJournal } from '../../src/main/adapters/store/journal.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { tampered } from '../../src/main/adapters/store/chain.ts';
import { baseUnits } from '../../src/shared/money/money.ts';
import { defaultPolicy, type Policy } from '../../src/shared/policy/policy.ts';
import { ManualClock, settle } from './manual-clock.ts';

export const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
export const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

export const offer = (amount = '10000', change: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:84532',
  amount,
  asset: USDC,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
  ...change,
});

/** A tool result that asks for money in the official form. */
export const challenge = (offers: readonly object[] = [offer()], error = 'Payment required') => {
  const required = { x402Version: 2, error, resource: { url: 'mcp://tool/forecast' }, accepts: offers };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, structuredContent: required, content: [{ type: 'text', text: JSON.stringify(required) }] } });
};

/** A tool result that was paid for. */
export const served = (text = 'sunny') =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }], _meta: { 'x402/payment-response': { success: true, transaction: '0xfeed', network: 'eip155:84532' } } } });

/** How long a client of this world waits for an answer, unless a test says otherwise. */
export const PATIENCE_MS = 50_000;

export interface WorldOptions {
  readonly policy?: Partial<Policy>;
  /** Prices of tokens that are not pegged to the dollar. */
  readonly prices?: Prices;
  readonly balance?: bigint;
  readonly locked?: boolean;
  /** How long a client waits for an answer (ms). */
  readonly patience?: number;
  /** What a payment costs besides its amount. */
  readonly fees?: readonly Fee[];
  /** The chain answers no question. */
  readonly hangingChain?: boolean;
  /** What the rail does otherwise than to hand out an authorization. */
  readonly rail?: Partial<Rail>;
}

/**
 * The payment core on a real journal file, with a scripted chain: the rail signs by counting, and what the chain shows is what the
 * test put there. Everything between is the real code.
 */
export function createWorld(options: WorldOptions = {}) {
  const path = join(mkdtempSync(join(tmpdir(), 'bursar-world-')), 'bursar.db');
  const clock = new ManualClock();
  const account: Account = { id: 'a1', label: 'Main', namespace: 'eip155', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', source: 'seed' };
  let inForce = { number: 1, policy: { ...defaultPolicy('Europe/Berlin'), ...options.policy } as Policy };
  const chain = new Map<string, Observation>();
  const state = { signed: [] as string[], locked: options.locked ?? false, signing: undefined as Error | undefined, sending: undefined as Error | undefined, cancelled: [] as string[], balance: options.balance ?? 1_000_000_000n };

  const rail: Rail = {
    id: 'exact-evm',
    scheme: 'exact',
    namespace: 'eip155',
    flow: 'authorize',
    check: (offered) => {
      const memo = offered.extra.get('memo');
      return { payee: offered.payee, ...(typeof memo === 'string' && { memo }) };
    },
    ...(options.fees && { fees: async () => options.fees ?? [] }),
    async sign({ terms, offer: offered, now }) {
      if (state.signing) throw state.signing;
      const nonce = String(state.signed.length);
      state.signed.push(`${terms.payee} ${terms.amount}`);
      return { payloadText: JSON.stringify({ nonce }), track: { nonce }, outstandingUntil: now + offered.maxTimeoutSeconds * 1000 };
    },
    async observe(_terms, track, signal) {
      if (options.hangingChain) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return chain.get(track['nonce']!) ?? { state: 'open', why: 'not seen' };
    },
    cancel: {
      cost: async () => ({ coin: 'ETH', decimals: 18, maxFee: baseUnits(100n), balance: baseUnits(1000n) }),
      async sign({ track, maxFee }) {
        return {
          transaction: `0xcancel${track['nonce']}`,
          maxFee: baseUnits(maxFee),
          async send() {
            if (state.sending) throw state.sending;
            state.cancelled.push(track['nonce']!);
          },
        };
      },
    },
    ...options.rail,
  };

  // The ledger as the test says it is; what finds tampering is tested by itself.
  const alarm = new AbortController();
  let finding = '';
  const integrity: Integrity = {
    requireSound() {
      if (finding) throw tampered(finding);
    },
    alarm: alarm.signal,
    mayRecord: () => !finding,
  };

  const db = openDatabase(path);
  const schemas = createOutputSchemas(createSchemaCheck(20_000));
  const signatures = createSignatures();
  const log = { debug() {}, info() {}, warn() {}, error(message: string, fields?: object) { throw new Error(`${message} ${JSON.stringify(fields)}`); } };

  const keys: Keys = {
    get locked() {
      return state.locked;
    },
    accounts: () => [account],
    use: () => Promise.reject(new Error('the scripted rail needs no key')),
  };

  /** One run of the process; `restart` makes another over the same file. */
  const start = () => {
    const journal = createJournal(db, clock);
    const changed = () => {};
    const random = (length: number) => new Uint8Array(randomBytes(length));
    const approvals = createApprovals({ clock, random, changed });
    const reconciler = createReconciler({ journal, integrity, rails: [rail], clock, log, changed });
    const release = createRelease({ journal, rails: [rail], reconciler, signatures, clock, log, changed, schemas });
    const choosing = {
      rails: [rail],
      policies: { current: () => inForce },
      ...(options.prices && { prices: options.prices }),
      chain: { networks: () => ['eip155:84532' as const], balance: async () => baseUnits(state.balance) },
      keys,
    };
    const payments = createPayments({
      ...choosing,
      journal,
      approvals,
      integrity,
      release,
      clock,
      random,
      signatures,
      changed,
      patience: () => options.patience ?? PATIENCE_MS,
    });
    const keptAnswers = createKeptAnswers({ journal, integrity, clock, log, changed });
    const cancellations = createCancellations({ journal, rails: [rail], keys, reconciler, changed });
    keptAnswers.start();
    return { journal, approvals, reconciler, payments, choosing, cancellations, keptAnswers };
  };

  let run = start();
  const history = createHistory(db);

  return {
    clock,
    chain,
    state,
    schemas,
    history,
    get policy() {
      return inForce.policy;
    },
    /** Puts another version in force, as the owner's save does. */
    setPolicy(change: Partial<Policy>) {
      inForce = { number: inForce.number + 1, policy: { ...inForce.policy, ...change } };
      if (inForce.policy.paused) run.approvals.cancelAll();
      run.payments.reassess();
    },
    get journal() {
      return run.journal;
    },
    get approvals() {
      return run.approvals;
    },
    get payments() {
      return run.payments;
    },
    /** What an offer is chosen by. */
    get choosing() {
      return run.choosing;
    },
    get cancellations() {
      return run.cancellations;
    },
    rows: (): readonly Payment[] => history.page({ limit: 500 }).payments,
    row: (): Payment => history.page({ limit: 1 }).payments[0]!,
    spent: (): bigint => history.spentSince(0).reduce((sum, { usd }) => sum + usd, 0n),

    /** Says that somebody changed the ledger. */
    tamper(found: string) {
      finding = found;
      alarm.abort();
    },

    /** Lets the ledger grow no more, as on a full disk, or again. */
    setDiskFull(full: boolean) {
      db.pragma(`max_page_count = ${full ? Number(db.pragma('page_count', { simple: true })) : 1_000_000}`);
    },

    /** Kills the process as far as the core goes: nothing in memory survives, the file does. */
    restart() {
      run.reconciler.stop();
      run.keptAnswers.stop();
      run = start();
      run.reconciler.recover();
    },

    /** A call that was answered with a challenge. `server` answers the paid retries, in turn. */
    call(server: readonly (() => Promise<string>)[], change: Partial<PaidCall> = {}) {
      const gone = new AbortController();
      const proofs: string[] = [];
      const outcome: Promise<Outcome> = run.payments.onAnswer({
        client: 'claude',
        session: 's1',
        seenIn: () => '',
        upstream: 'weather',
        tool: 'forecast',
        argumentsText: '{"city":"Berlin"}',
        startedAt: clock.now(),
        answer: { text: challenge() },
        signal: gone.signal,
        progress: () => {},
        retry: async ({ meta = {} }) => {
          const turn = server[proofs.length];
          proofs.push(meta['x402/payment']!);
          if (!turn) throw new Error('the server was asked more often than the test expects');
          return { text: await turn() };
        },
        ...change,
      });
      return { outcome, proofs, leave: () => gone.abort() };
    },

    /** Looks at what waits for a second and decides. */
    async decide(decision: 'approve' | 'reject'): Promise<void> {
      await settle();
      const [waiting] = run.approvals.waiting();
      if (!waiting) throw new Error('nothing waits for the owner');
      run.approvals.report({ paymentId: waiting.payment.id, visible: true });
      await clock.advance(VISIBLE_BEFORE_ANSWER_MS);
      run.approvals.decide({ paymentId: waiting.payment.id, termsDigest: waiting.payment.termsDigest, nonce: waiting.nonce, decision }, () => {});
      await settle();
    },
  };
}

export type World = ReturnType<typeof createWorld>;
