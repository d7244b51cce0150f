import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApprovals } from '../../../src/core/payments/approvals.ts';
import { createPayments } from '../../../src/core/payments/pay.ts';
import { createReconciler } from '../../../src/core/payments/reconcile.ts';
import { createRelease } from '../../../src/core/payments/release.ts';
import type { Account, Rail } from '../../../src/core/ports.ts';
import { coinOf } from '../../../src/core/registry/coins.ts';
import type { NetworkId } from '../../../src/core/registry/networks.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createSignatures } from '../../../src/main/adapters/signatures.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { createTransferEvm } from '../../../src/main/rails/transfer-evm.ts';
import { createTransferSvm } from '../../../src/main/rails/transfer-svm.ts';
import { createOrders, type PlacedOrder } from '../../../src/main/wallet/orders.ts';
import { EVM_NETWORK, EVM_USDC, SOLANA_NETWORK, SOLANA_USDC } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { evmAccount, keyRing, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { chainsOf, silent } from '../rails/shop.ts';

/** Orders over the core, a journal on disk and the real rails, on a real EVM and a real Solana VM. */

let sandbox: Sandbox;
let chains: Chains;
let folder: string;
let open: (() => void)[];

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(() => {
  open = [];
  folder = mkdtempSync(join(tmpdir(), 'bursar-orders-'));
});
afterEach(() => {
  for (const close of open.toReversed()) close();
  rmSync(folder, { recursive: true, force: true });
});

interface Payer {
  readonly account: Account;
  readonly privateKey: Uint8Array;
  rail(): Rail;
}

const CHAINS = [
  {
    name: 'EVM',
    network: EVM_NETWORK as typeof EVM_NETWORK,
    usdc: EVM_USDC,
    async payer(): Promise<Payer> {
      const privateKey = random(32);
      const account = evmAccount(privateKey);
      return { account, privateKey, rail: () => createTransferEvm({ keys: keyRing(account, privateKey), transactions: () => chains.evmTransactions, observe: chains.observeTransferEvm }) };
    },
    stranger: async () => evmAccount(random(32)).address,
  },
  {
    name: 'Solana',
    network: SOLANA_NETWORK as typeof SOLANA_NETWORK,
    usdc: SOLANA_USDC,
    async payer(): Promise<Payer> {
      const privateKey = random(32);
      const account = await solanaAccount(privateKey);
      const rail = () =>
        createTransferSvm({ keys: keyRing(account, privateKey), random, latestBlockhash: chains.latestBlockhash, accounts: () => chains.solanaAccounts, observe: chains.observeTransferSvm, send: chains.sendSolana });
      return { account, privateKey, rail };
    },
    stranger: async () => (await solanaAccount(random(32))).address,
  },
];

const namespaceOf = (network: string): string => network.split(':')[0] ?? '';

/** One run of the process over the folder. `dying` stands in for the rail's own submit, and is where the process dies. */
function start({ account, privateKey, rail: real }: Payer, dying?: (rail: Rail) => Rail['submit']) {
  const rail = real();
  const submit = dying?.(rail);
  const rails = [submit ? { ...rail, submit } : rail];
  const db = openDatabase(join(folder, 'bursar.db'));
  const journal = createJournal(db, clock);
  const changed = () => {};
  const integrity = { requireSound: () => {}, alarm: new AbortController().signal, mayRecord: () => true };
  const network: NetworkId = account.namespace === 'eip155' ? EVM_NETWORK : SOLANA_NETWORK;
  const coin = coinOf(network);
  const fees = { over: {}, window: 'day', unit: `${network}/${account.namespace === 'eip155' ? 'erc20' : 'token'}:${coin.address}`, amount: '1000000' } as const;
  const policy = { ...defaultPolicy('UTC'), caps: [fees], rules: [{ when: { dialect: 'order' }, verdict: 'allow' as const }] };
  const reconciler = createReconciler({ journal, integrity, rails, clock, log: silent, changed });
  const signatures = createSignatures();
  const release = createRelease({ journal, rails, reconciler, signatures, clock, log: silent, changed });
  const approvals = createApprovals({ clock, random, changed });
  const keys = keyRing(account, privateKey);
  const choosing = { policies: { current: () => ({ number: 1, policy }) }, keys, rails, chain: chains };
  const payments = createPayments({ ...choosing, journal, approvals, integrity, release, clock, random, signatures, changed, patience: () => 60_000 });
  const orders = createOrders({ ...choosing, payments, clock });
  open.push(() => db.close(), () => reconciler.stop());
  reconciler.recover();
  const history = createHistory(db);
  return {
    rows: () => history.page({ limit: 10 }).payments,
    quote: (order: PlacedOrder) => orders.quote(order, 'cli', new AbortController().signal),
    place: (order: PlacedOrder) => orders.place(order, { client: 'agent', session: 's1', seenIn: () => '', signal: new AbortController().signal, progress() {} }),
  };
}

describe.each(CHAINS)('an order on $name', ({ network, usdc, payer: newPayer, stranger }) => {
  let payer: Payer;
  let payee: string;
  beforeEach(async () => {
    [payer, payee] = await Promise.all([newPayer(), stranger()]);
    await sandbox.fund({ network, address: payer.account.address, usdc: 5_000_000n, gas: true });
  });

  const order = (change: Partial<PlacedOrder> = {}, offer: { asset?: string; amount?: string } = {}): PlacedOrder => ({
    tool: 'send_to_address', argumentsText: JSON.stringify({ address: payee, ...offer }), recipient: payee, known: true, byOwner: false, warnings: [], memo: 'rent',
    offers: [{ network, asset: usdc, amount: '1500000', payee, ...offer }], ...change,
  });

  test('says that it was sent, and the chain does not have it; or a payee without a token account is not paid', async () => {
    const wallet = start(payer);
    const sent = await wallet.place(order());
    expect(sent).toMatchObject({ kind: 'sent' });
    expect(await sandbox.balance(network, payee)).toBe(1_500_000n);
    expect(await sandbox.balance(network, payer.account.address)).toBe(3_500_000n);
    expect(wallet.rows()).toMatchObject([{ money: 'settled', decision: 'approved', transaction: sent.kind === 'sent' ? sent.transaction : '' }]);
  });

  test('is quoted without the rent of the account that has to be made, or the quote moves money', async () => {
    const { fees, terms } = await start(payer).quote(order());
    expect(terms).toMatchObject({ amount: 1_500_000n, payee, payer: payer.account.address });
    expect(fees).toHaveLength(1);
    // 165 bytes of a token account, at what this VM asks for them.
    if (namespaceOf(network) === 'solana') expect(fees[0]).toMatchObject({ asset: { symbol: 'SOL' }, rent: 2_039_280n, units: 2_044_281n });
    else expect(fees[0]?.rent).toBeUndefined();
    expect(await sandbox.balance(network, payer.account.address)).toBe(5_000_000n);
  });

  test('of the network’s coin moves another amount, or is refused as an unknown token', async () => {
    const wallet = start(payer);
    const coin = coinOf(network);
    // More than what an account has to hold, so that it may exist at all.
    const amount = coin.decimals === 18 ? 10n ** 15n : 10_000_000n;
    expect(await wallet.place(order({}, { asset: coin.address, amount: amount.toString() }))).toMatchObject({ kind: 'sent' });
    expect(await chains.balance(coin, payee, { fresh: true })).toBe(amount);
  });

  test('above what the account holds, fees included, is signed', async () => {
    const wallet = start(payer);
    expect(await wallet.place(order({}, { amount: '5000001' }))).toMatchObject({ kind: 'refusal', error: { code: 'INSUFFICIENT_BALANCE' } });
    const coin = coinOf(network);
    const all = await chains.balance(coin, payer.account.address, { fresh: true });
    expect(await wallet.place(order({}, { asset: coin.address, amount: all.toString() }))).toMatchObject({ kind: 'refusal', error: { code: 'INSUFFICIENT_BALANCE' } });
    expect(wallet.rows().map(({ money }) => money)).toEqual(['none', 'none']);
    expect(await sandbox.balance(network, payer.account.address)).toBe(5_000_000n);
  });

  for (const [when, dying] of [
    ['before the transaction left', () => () => new Promise<never>(() => {})],
    ['after the transaction landed', (rail: Rail) => async (...request: Parameters<NonNullable<Rail['submit']>>) => (await rail.submit!(...request), new Promise<never>(() => {}))],
  ] as const satisfies readonly (readonly [string, (rail: Rail) => Rail['submit']])[]) {
    test(`I1: a process that dies ${when} sends twice, or never`, async () => {
      const first = start(payer, dying);
      void first.place(order());
      await expect.poll(() => first.rows()[0]?.money, { timeout: 10_000 }).toBe('outstanding');
      if (when.startsWith('after')) await expect.poll(() => sandbox.balance(network, payee)).toBe(1_500_000n);
      const second = start(payer);
      expect(await second.place(order())).toMatchObject({ kind: 'sent' });
      expect(second.rows()).toMatchObject([{ money: 'settled' }]);
      expect(second.rows()).toHaveLength(1);
      expect(await sandbox.balance(network, payee)).toBe(1_500_000n);
    });
  }
});
