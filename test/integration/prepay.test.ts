import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApprovals } from '../../src/core/payments/approvals.ts';
import type { Outcome } from '../../src/core/payments/call.ts';
import { createPayments } from '../../src/core/payments/pay.ts';
import { createReconciler } from '../../src/core/payments/reconcile.ts';
import { createRelease } from '../../src/core/payments/release.ts';
import type { Account, Rail } from '../../src/core/ports.ts';
import { systemClock as clock } from '../../src/main/adapters/clock.ts';
import type { Chains } from '../../src/main/adapters/chain/chains.ts';
import { createSignatures } from '../../src/main/adapters/signatures.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { createHistory } from '../../src/main/adapters/store/history.ts';
import { createJournal } from '../../src/main/adapters/store/journal.ts';
import { createTransferSvm } from '../../src/main/rails/transfer-svm.ts';
import { SOLANA_NETWORK, SOLANA_USDC } from '../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { defaultPolicy } from '../../src/shared/policy/policy.ts';
import { keyRing, random, solanaAccount } from '../unit/rails/fixtures.ts';
import { chainsOf, silent } from './rails/shop.ts';

/** Payment by one's own transfer, end to end: the dialect of -32001, the core over a journal on disk, the real rail, a real VM. */

let sandbox: Sandbox;
let chains: Chains;
let folder: string;
let account: Account;
let privateKey: Uint8Array;
let open: (() => void)[];

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true });
  chains = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  open = [];
  folder = mkdtempSync(join(tmpdir(), 'bursar-prepay-'));
  privateKey = random(32);
  account = await solanaAccount(privateKey);
  await sandbox.fund({ network: SOLANA_NETWORK, address: account.address, usdc: 1_000_000n, gas: true });
});
afterEach(() => {
  for (const close of open.toReversed()) close();
  rmSync(folder, { recursive: true, force: true });
  sandbox.faults!.clear();
});

const usdc = () => sandbox.balance(SOLANA_NETWORK, account.address);
const demand = () => ({
  jsonrpc: '2.0',
  id: 1,
  error: {
    code: -32001,
    message: 'Payment required',
    data: { paymentRequirements: { price: { amount: '10000', asset: { address: SOLANA_USDC } }, recipient: sandbox.seller.payTo.solana, description: 'sky', currency: 'USDC', network: 'solana-devnet' } },
  },
});

/** One run of the process over the folder. `dying` stands in for the rail's own submit, and is where the process dies. */
function start(dying?: (rail: Rail) => Rail['submit']) {
  const real = createTransferSvm({
    keys: keyRing(account, privateKey),
    random,
    latestBlockhash: chains.latestBlockhash,
    accounts: () => chains.solanaAccounts,
    observe: chains.observeTransferSvm,
    send: chains.sendSolana,
  });
  const submit = dying?.(real);
  const rails = [submit ? { ...real, submit } : real];
  const db = openDatabase(join(folder, 'bursar.db'));
  const journal = createJournal(db, clock);
  const changed = () => {};
  const integrity = { requireSound: () => {}, alarm: new AbortController().signal, mayRecord: () => true };
  const policy = { ...defaultPolicy('UTC'), caps: [], rules: [], otherwise: 'allow' as const };
  const reconciler = createReconciler({ journal, integrity, rails, clock, log: silent, changed });
  const signatures = createSignatures();
  const release = createRelease({ journal, rails, reconciler, signatures, clock, log: silent, changed });
  const approvals = createApprovals({ clock, random, changed: () => void agree() });
  // The owner looks at what waits for the second that it takes, and agrees.
  const agree = async () => {
    const [waiting] = approvals.waiting();
    if (!waiting) return;
    const { payment: { id: paymentId, termsDigest }, nonce } = waiting;
    const answerableAt = approvals.report({ paymentId, visible: true });
    await expect.poll(() => clock.now() >= (answerableAt ?? Infinity), { timeout: 5000 }).toBe(true);
    approvals.decide({ paymentId, termsDigest, nonce, decision: 'approve' }, () => {});
  };
  const payments = createPayments({
    journal,
    policies: { current: () => ({ number: 1, policy }) },
    approvals,
    integrity,
    release,
    keys: keyRing(account, privateKey),
    rails,
    clock,
    random,
    signatures,
    changed,
    patience: () => 60_000,
    chain: chains,
  });
  open.push(() => db.close(), () => reconciler.stop());
  reconciler.recover();
  const history = createHistory(db);
  const proofs: string[] = [];
  return {
    proofs,
    rows: () => history.page({ limit: 10 }).payments,
    buy: (): Promise<Outcome> =>
      payments.onAnswer({
        client: 'agent',
        session: 's1',
        seenIn: () => '',
        upstream: 'sky',
        tool: 'report',
        argumentsText: '{}',
        startedAt: clock.now(),
        answer: { text: JSON.stringify(demand()) },
        signal: new AbortController().signal,
        progress: () => {},
        retry: async (edit) => {
          // A seller that looks at its own balance and not at the proof alone.
          expect(await usdc()).toBe(990_000n);
          proofs.push(edit.arguments?.['_payment'] ?? '');
          return { text: '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"clear"}]}}' };
        },
      }),
  };
}

describe('a call that is paid by a transfer of one’s own', () => {
  test('money that did not move before the retry, or another proof than the transfer’s', async () => {
    const run = start();
    expect(await run.buy()).toMatchObject({ kind: 'answer' });
    const proof = JSON.parse(run.proofs[0]!) as Record<string, string>;
    expect(proof).toMatchObject({ amount: '10000', from: account.address });
    expect(run.rows()).toMatchObject([{ money: 'settled', transaction: proof.signature, terms: { flow: 'prepay', scheme: 'transfer' } }]);
    expect(await usdc()).toBe(990_000n);
  });

  for (const [when, dying] of [
    ['before the transaction left', () => () => new Promise<never>(() => {})],
    ['after the transaction landed', (rail: Rail) => async (...request: Parameters<NonNullable<Rail['submit']>>) => (await rail.submit!(...request), new Promise<never>(() => {}))],
  ] as const satisfies readonly (readonly [string, (rail: Rail) => Rail['submit']])[]) {
    test(`I1: a process that dies ${when} pays twice, or never`, async () => {
      const first = start(dying);
      void first.buy();
      await expect.poll(() => first.rows()[0]?.money, { timeout: 10_000 }).toBe('outstanding');
      if (when.startsWith('after')) await expect.poll(usdc).toBe(990_000n);
      const second = start();
      expect(await second.buy()).toMatchObject({ kind: 'answer' });
      expect(second.rows()).toMatchObject([{ money: 'settled' }]);
      expect(second.rows()).toHaveLength(1);
      expect(await usdc()).toBe(990_000n);
    });
  }

  test('I1, I5: a transfer whose blockhash expires on its way is counted as paid, or blocks the next try', async () => {
    sandbox.faults!.solana.set('sendTransaction', 'expire-first');
    const run = start();
    const buying = run.buy();
    await expect.poll(() => run.rows()[0]?.money, { timeout: 10_000 }).toBe('outstanding');
    sandbox.time.advanceSolana(160);
    expect(JSON.stringify(await buying)).toContain('SETTLEMENT_FAILED');
    expect(run.rows()).toMatchObject([{ money: 'dead', service: 'refused' }]);
    expect(await usdc()).toBe(1_000_000n);
    sandbox.faults!.clear();
    expect(await run.buy()).toMatchObject({ kind: 'answer' });
    expect(await usdc()).toBe(990_000n);
  });
});
