import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApprovals, type Approvals } from '../../../src/core/payments/approvals.ts';
import type { Outcome } from '../../../src/core/payments/call.ts';
import { createPayments } from '../../../src/core/payments/pay.ts';
import { createReconciler } from '../../../src/core/payments/reconcile.ts';
import { createRelease } from '../../../src/core/payments/release.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import type { Rail } from '../../../src/core/ports.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createSignatures } from '../../../src/main/adapters/signatures.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { createTransferEvm } from '../../../src/main/rails/transfer-evm.ts';
import { EVM_NETWORK, EVM_USDC } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { challenge, offer, served } from '../../support/payment-world.ts';
import { evmAccount, keyRing, random } from '../../unit/rails/fixtures.ts';
import { chainsOf, silent } from './shop.ts';

let sandbox: Sandbox;
let chains: Chains;
const directory = mkdtempSync(join(tmpdir(), 'bursar-'));
const privateKey = random(32);
const account = evmAccount(privateKey);

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, evmIntervalSeconds: 3_600 });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
  await sandbox.fund({ network: EVM_NETWORK, address: account.address, usdc: 1_000_000n, gas: true });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A wallet on one ledger. `dying`: it ends between journal and submit. */
function startWallet({ dying = false } = {}) {
  // No dialect of tools leads to this rail; here it stands in for the one that this dialect leads to.
  const real: Rail = { ...createTransferEvm({ keys: keyRing(account, privateKey), transactions: () => chains.evmTransactions, observe: chains.observeTransferEvm }), scheme: 'exact' };
  const rails: Rail[] = [dying ? { ...real, submit: () => Promise.reject(new Error('killed')) } : real];
  const db = openDatabase(join(directory, 'bursar.db'));
  const journal = createJournal(db, clock);
  const changed = () => {};
  const integrity = { requireSound() {}, alarm: new AbortController().signal, mayRecord: () => true };
  const policy = { ...defaultPolicy('UTC'), caps: [], rules: [], otherwise: 'allow' as const };
  const signatures = createSignatures();
  const reconciler = createReconciler({ journal, integrity, rails, clock, log: silent, changed });
  const release = createRelease({ journal, rails, reconciler, signatures, clock, log: silent, changed });
  const policies = { current: () => ({ number: 1, policy }) };
  const approvals: Approvals = { ...createApprovals({ clock, random, changed }), ask: () => Promise.resolve('approved') };
  const payments = createPayments({ journal, policies, approvals, integrity, release, keys: keyRing(account, privateKey), rails, clock, random, signatures, changed, patience: () => 600_000, chain: chains });
  reconciler.recover();
  const waiting = new AbortController().signal;
  return {
    async buy(tool: string): Promise<Outcome> {
      const answer = { text: challenge([offer('10000', { asset: EVM_USDC })]) };
      const outcome = await payments.onAnswer({ client: 'a', session: 's', seenIn: () => '', upstream: 'u', tool, argumentsText: '{}', startedAt: clock.now(), answer, signal: waiting, progress: () => {}, retry: async () => ({ text: served() }) });
      if (outcome.kind === 'answer') outcome.delivered(true);
      return outcome;
    },
    rows: () => createHistory(db).page({ limit: 10 }).payments.map(({ terms, money, transaction }) => ({ tool: terms?.tool, money, transaction })),
    stop() {
      reconciler.stop();
      db.close();
    },
  };
}

test('I1, I5: two transfers under one nonce, one of them unsent by a crash: both counted as paid by one transaction', async () => {
  const before = await sandbox.balance(EVM_NETWORK, account.address);
  const killed = startWallet({ dying: true });
  expect(await killed.buy('A')).toMatchObject({ kind: 'refusal' });
  killed.stop();

  const wallet = startWallet();
  expect(await wallet.buy('B')).toMatchObject({ kind: 'answer' });
  await sandbox.time.advanceEvm(0);
  await expect.poll(() => wallet.rows().find(({ tool }) => tool === 'A')?.money, { timeout: 20_000 }).toBe('dead');
  expect(await wallet.buy('A')).toMatchObject({ kind: 'answer' });

  const settled = wallet.rows().filter(({ money }) => money === 'settled');
  expect(new Set(settled.map(({ tool }) => tool))).toEqual(new Set(['A', 'B']));
  expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(2);
  expect(before - (await sandbox.balance(EVM_NETWORK, account.address))).toBe(20_000n);
  wallet.stop();
}, 60_000);
