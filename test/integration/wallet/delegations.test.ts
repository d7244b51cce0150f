import { address, getBase64Encoder, getTransactionDecoder, createKeyPairFromPrivateKeyBytes, createNoopSigner, partiallySignTransaction } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/core/ports.ts';
import { findAsset } from '../../../src/core/registry/assets.ts';
import { tokenAccountOf } from '../../../src/main/adapters/chain/token-account.ts';
import { createExactSvm } from '../../../src/main/rails/exact-svm.ts';
import { compileSvm, signSvm } from '../../../src/main/rails/svm-transaction.ts';
import { SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { offerOf, random, solanaAccount, termsOf } from '../../unit/rails/fixtures.ts';
import { signal, SOLANA_ASSET } from '../rails/shop.ts';
import { openDelegationWorld, placeTokens2022, type DelegationWorld } from './delegation-world.ts';

/** Approvals of spending through the routes, on a real Solana VM; allowances and balances are read from the chain itself. */

let world: DelegationWorld;
let owner: Account;
let agent: Account;
const UNIT = 1_000_000n;

beforeAll(async () => {
  world = await openDelegationWorld();
});
afterAll(() => world?.close());
beforeEach(async () => {
  owner = await world.add('Savings');
  agent = await world.add('Agent');
  await world.chain.fund(owner.address, { usdc: 100n * UNIT, gas: true });
  world.start();
});

const order = (change: object = {}) => ({ kind: 'approve' as const, owner: owner.address, delegate: agent.address, amount: '25', ...change });
const quote = (change: object = {}) => world.routes['delegations.quote'](order(change), world.caller);
const perform = async (kind: 'approve' | 'topUp' | 'revoke', act: string) => world.routes[`delegations.${kind}`]({ act }, world.caller);
const approve = async (change: object = {}) => perform('approve', (await quote(change)).act);
const revokeOrder = () => ({ kind: 'revoke' as const, amount: undefined });
const listed = async () => (await world.routes['delegations.list']({}, world.caller)).delegations.find((one) => one.owner === owner.address);

/** A transfer by the delegate that no part of Bursar looked at, as somebody who stole its key would make it. */
async function spend(amount: bigint) {
  const payee = (await solanaAccount(random(32))).address;
  await world.chain.fund(payee, { usdc: 0n });
  await world.chain.fund(agent.address, { gas: true });
  const [source, destination] = await Promise.all([tokenAccountOf(owner.address, SOLANA_ASSET), tokenAccountOf(payee, SOLANA_ASSET)]);
  const transfer = getTransferCheckedInstruction({ source, mint: address(SOLANA_ASSET.address), destination, authority: createNoopSigner(address(agent.address)), amount, decimals: 6 });
  const lifetime = await world.chains.latestBlockhash(SOLANA_NETWORK, signal);
  const { wire } = await signSvm(world.keys, agent, compileSvm({ feePayer: address(agent.address), units: 60_000, lifetime, instructions: [transfer] }));
  const outcome = world.chain.bank.submit(getTransactionDecoder().decode(getBase64Encoder().encode(wire)));
  return { moved: outcome.kind === 'landed' && outcome.transaction.err === null, received: await world.chain.balance(payee) };
}

/** What a server's demand gets from the account that pays as a delegate. */
async function pay(amount: bigint) {
  const rail = createExactSvm({ keys: world.keys, random, latestBlockhash: world.chains.latestBlockhash, accounts: () => world.chains.solanaAccounts, observe: world.chains.observeExactSvm });
  const payer = world.account(agent.address);
  const offer = offerOf(SOLANA_ASSET, { payee: (await solanaAccount(random(32))).address, amount, extra: { feePayer: (await solanaAccount(random(32))).address } });
  return rail.sign({ terms: termsOf(offer, SOLANA_ASSET, payer), offer, asset: SOLANA_ASSET, account: payer, now: Date.now(), signal });
}

describe('an approval', () => {
  test('I1, I2: is for other terms than those that were shown, is sent twice for one act, or the account does not pay from there', async () => {
    const before = await world.touched(owner.address);
    const shown = await quote();
    expect(shown).toMatchObject({ kind: 'approve', money: { units: '25000000' }, owner: owner.address, ownerLabel: 'Savings', delegate: agent.address, delegateLabel: 'Agent', balance: { units: '100000000' }, fee: { units: '5001', asset: { symbol: 'SOL' } }, warnings: [] });
    expect(shown.replaces).toBeUndefined();
    expect(await world.touched(owner.address)).toBe(before);
    const [done, twice] = await Promise.all([perform('approve', shown.act), perform('approve', shown.act)]);
    expect(done).toMatchObject({ state: 'final', kind: 'approve', money: { units: '25000000' } });
    expect(twice.transaction).toBe(done.transaction);
    expect((await perform('approve', shown.act)).transaction).toBe(done.transaction);
    expect(await world.touched(owner.address)).toBe(before + 1);
    expect(await world.onChain(owner.address)).toEqual({ amount: 100n * UNIT, delegate: agent.address, delegated: 25n * UNIT });
    expect(world.account(agent.address).delegatedFrom).toBe(owner.address);
    expect(await listed()).toMatchObject({ state: 'active', remaining: { units: '25000000' }, approved: { units: '25000000' }, balance: { units: '100000000' }, pays: true });
    expect(await world.chains.balance(SOLANA_ASSET, agent.address, { fresh: true })).toBe(25n * UNIT);
  });

  test('does not hold: the chain lets more be spent than was approved', async () => {
    await approve();
    expect(await spend(25n * UNIT + 1n)).toEqual({ moved: false, received: 0n });
    await expect(pay(25n * UNIT + 1n)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(await spend(20n * UNIT)).toEqual({ moved: true, received: 20n * UNIT });
    expect(await listed()).toMatchObject({ remaining: { units: '5000000' }, approved: { units: '25000000' }, balance: { units: '80000000' } });
    expect((await world.tool('x402_check_delegation', { tokenAccount: await tokenAccountOf(owner.address, SOLANA_ASSET), passphrase: 'secret' })).structuredContent).toMatchObject({
      delegations: [{ remaining: '5.00', approved: '25.00', balance: '80.00', spendable: '5.00', token: 'USDC', delegate: agent.address }],
    });
  });

  test('a new one is taken for an addition: the owner is not told both numbers, or a top-up replaces what was left', async () => {
    await approve();
    await spend(20n * UNIT);
    const anew = await quote({ amount: '10' });
    expect(anew).toMatchObject({ money: { units: '10000000' }, replaces: { delegate: agent.address, money: { units: '5000000' } } });
    expect(anew.warnings).toEqual(['5.00 USDC are left of the approval in force. The new one replaces it and is not added to it: from then on 10.00 USDC may be spent, and not 15.00 USDC.']);
    const more = await quote({ kind: 'topUp', amount: '10' });
    expect(more).toMatchObject({ money: { units: '15000000' }, replaces: { money: { units: '5000000' } } });
    expect(more.warnings[0]).toMatch(/^5\.00 USDC are left.*new one, for 15\.00 USDC, replaces it/);
    await expect(perform('approve', more.act)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await perform('topUp', more.act)).toMatchObject({ state: 'final' });
    expect(await world.onChain(owner.address)).toMatchObject({ delegated: 15n * UNIT });

    const other = await world.add('Other');
    expect((await quote({ delegate: other.address, amount: '200' })).warnings).toEqual([
      `The token account has another delegate now: ${agent.address} may spend 15.00 USDC more. A token account has one delegate alone, so it loses that; the new approval is for 200.00 USDC.`,
      'The token account holds 80.00 USDC. More than that cannot be spent before more is put in.',
    ]);
  });

  test('I2: is signed although the delegate spent something since the owner looked', async () => {
    await approve();
    const shown = await quote({ amount: '50' });
    await spend(1n * UNIT);
    const before = await world.touched(owner.address);
    await expect(perform('approve', shown.act)).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
    expect(await world.touched(owner.address)).toBe(before);
    expect(await world.onChain(owner.address)).toMatchObject({ delegated: 24n * UNIT });
    await expect(perform('approve', '0'.repeat(32))).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
    const old = await quote({ amount: '50' });
    world.later(11 * 60_000);
    await expect(perform('approve', old.act)).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
  });

  test('once taken back, is still paid from, or the refusal does not say why', async () => {
    await approve();
    await pay(1n * UNIT);
    const shown = await quote(revokeOrder());
    expect(shown).toMatchObject({ kind: 'revoke', delegate: agent.address, replaces: { money: { units: '25000000' } } });
    expect(await perform('revoke', shown.act)).toMatchObject({ kind: 'revoke', state: 'final' });
    expect(await world.onChain(owner.address)).toEqual({ amount: 100n * UNIT, delegate: '', delegated: 0n });
    await expect(pay(1n * UNIT)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE', message: expect.stringMatching(/lets \S+ spend 0\.00 USDC more, and 1\.00 USDC is asked/) });
    expect(await spend(1n)).toEqual({ moved: false, received: 0n });
    expect(await listed()).toMatchObject({ state: 'revoked', remaining: { units: '0' } });
    await expect(quote(revokeOrder())).rejects.toMatchObject({ code: 'DELEGATION_MISSING' });
    expect(JSON.parse((await world.tool('x402_check_delegation', { tokenAccount: shown.tokenAccount })).content[0]!.text)).toMatchObject({ error: 'NO_DELEGATION' });
  });

  test('that is used up is taken for one that never was', async () => {
    await approve({ amount: '2' });
    await spend(2n * UNIT);
    expect(await listed()).toMatchObject({ state: 'ended', approved: { units: '2000000' } });
    const result = await world.tool('x402_check_delegation', { tokenAccount: await tokenAccountOf(owner.address, SOLANA_ASSET) });
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0]!.text)).toMatchObject({ error: 'DELEGATION_EXPIRED', message: expect.stringContaining('used up') });
  });

  test.each([
    [{ amount: '0' }, 'AMOUNT_INVALID'],
    [{ amount: '0.0000001' }, 'AMOUNT_INVALID'],
    [{ amount: '18446744073709.551616' }, 'AMOUNT_INVALID'],
    [{ kind: 'topUp' }, 'DELEGATION_MISSING'],
    [{ kind: 'revoke', amount: undefined }, 'DELEGATION_MISSING'],
    [{ kind: 'revoke' }, 'INPUT_INVALID'],
    [{ token: 'DOGE' }, 'ASSET_UNKNOWN'],
    [{ network: 'Base' }, 'NETWORK_UNSUPPORTED'],
    [{ delegate: 'not an address' }, 'ADDRESS_INVALID'],
    [{ delegate: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }, 'ADDRESS_INVALID'],
  ])('a wrong order (%j) is quoted', async (change, code) => {
    await expect(quote(change)).rejects.toMatchObject({ code });
  });

  test('is quoted for an owner without tokens, for the owner themselves, or without the coin for the fee', async () => {
    await expect(quote({ delegate: owner.address })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const empty = await world.add('Empty');
    await expect(quote({ owner: empty.address })).rejects.toMatchObject({ code: 'ACCOUNT_MISSING' });
    await world.chain.fund(empty.address, { usdc: 5n * UNIT });
    const shown = await quote({ owner: empty.address });
    await expect(perform('approve', shown.act)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(await world.onChain(empty.address)).toMatchObject({ delegate: '' });
  });
});

describe('Token-2022', () => {
  const PYUSD = findAsset(SOLANA_NETWORK, 'CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM')!;

  test('an approval goes to the other token program, where it is none', async () => {
    await placeTokens2022(world.chain, PYUSD, owner.address, 9n * UNIT);
    const done = await approve({ token: 'PYUSD', amount: '4' });
    expect(done).toMatchObject({ state: 'final', money: { units: '4000000', asset: { symbol: 'PYUSD' } } });
    expect(await world.onChain(owner.address, PYUSD)).toEqual({ amount: 9n * UNIT, delegate: agent.address, delegated: 4n * UNIT });
    expect(await world.chains.balance(PYUSD, agent.address, { fresh: true })).toBe(4n * UNIT);
    const shown = await world.routes['delegations.external'](order({ token: 'PYUSD', amount: '1' }), world.caller);
    expect(shown.command).toMatch(/ --program-2022$/);
    expect(await perform('revoke', (await quote({ ...revokeOrder(), token: PYUSD.address })).act)).toMatchObject({ state: 'final' });
    expect(await world.onChain(owner.address, PYUSD)).toMatchObject({ delegate: '', delegated: 0n });
  });
});

describe('I1: Bursar is killed', () => {
  test('between journal and send: the approval is forgotten, or made a second time', async () => {
    const before = await world.touched(owner.address);
    let sent = 0;
    world.start({
      sendSolana: () => {
        sent += 1;
        return new Promise(() => {});
      },
    });
    const { act } = await quote();
    const unanswered = perform('approve', act);
    await expect.poll(() => sent).toBe(1);
    expect(await world.touched(owner.address)).toBe(before);

    // The next process has no quotes and no memory: the journaled bytes alone.
    world.start();
    await expect.poll(async () => (await world.onChain(owner.address)).delegated, { timeout: 20_000 }).toBe(25n * UNIT);
    const done = await perform('approve', act);
    expect(done).toMatchObject({ state: 'final', act });
    expect(await world.touched(owner.address)).toBe(before + 1);
    expect(world.account(agent.address).delegatedFrom).toBe(owner.address);
    void unanswered;
  });

  test('after it was sent, and nobody heard of it: it is sent as something else', async () => {
    const before = await world.touched(owner.address);
    let sent = 0;
    world.start({
      async sendSolana(...request) {
        await world.chains.sendSolana(...request);
        sent += 1;
        await new Promise(() => {});
      },
    });
    const { act } = await quote();
    // Its run ends before it does.
    void perform('approve', act).catch(() => 'ended');
    await expect.poll(() => sent).toBe(1);
    world.start();
    expect(await perform('approve', act)).toMatchObject({ state: 'final' });
    expect(await world.touched(owner.address)).toBe(before + 1);
  });

  test('for so long that it expired: it counts as made, or keeps a new one away for good', async () => {
    world.start({ sendSolana: () => new Promise(() => {}) });
    const { act } = await quote();
    // Its run ends before it does.
    void perform('approve', act).catch(() => 'ended');
    await expect.poll(async () => (await world.routes['delegations.list']({}, world.caller)).acts.some((one) => one.act === act)).toBe(true);
    const early = await quote();
    await expect(perform('approve', early.act)).rejects.toMatchObject({ code: 'DELEGATION_BUSY' });
    world.chain.advance(400n);
    world.start();
    expect(await perform('approve', act)).toMatchObject({ state: 'dead', why: expect.stringContaining('expired') });
    expect(await world.onChain(owner.address)).toMatchObject({ delegate: '' });
    expect(world.account(agent.address).delegatedFrom).toBeUndefined();
    expect(await approve()).toMatchObject({ state: 'final' });
  });
});

test('I5, I10: an approval is called dead by servers that an agent wrote into config.json, so that another one is signed', async () => {
  world.start({ sendSolana: () => new Promise(() => {}) });
  const { act } = await quote();
  // Its run ends before it does.
  void perform('approve', act).catch(() => 'ended');
  const stateOf = async () => (await world.routes['delegations.list']({}, world.caller)).acts.find((one) => one.act === act)?.state;
  await expect.poll(stateOf).toBe('signed');
  let looks = 0;
  world.settingsChanged(true);
  try {
    world.start({
      async observeSolana() {
        looks += 1;
        return { state: 'dead', why: 'expired' };
      },
    });
    await expect.poll(() => looks, { timeout: 5_000 }).toBeGreaterThan(1);
    expect(await stateOf()).toBe('signed');
  } finally {
    world.settingsChanged(false);
  }
  // Once the owner accepted them, they count.
  await expect.poll(stateOf, { timeout: 5_000 }).toBe('dead');
});

describe('an owner whose key lies elsewhere', () => {
  test('is shown another transaction than the one that they sign, or what they did is not seen', async () => {
    const secret = random(32);
    const outside = (await solanaAccount(secret)).address;
    await world.chain.fund(outside, { usdc: 50n * UNIT, gas: true });
    await expect(quote({ owner: outside })).rejects.toMatchObject({ code: 'ACCOUNT_MISSING', hint: expect.stringContaining('show-transaction') });
    const shown = await world.routes['delegations.external'](order({ owner: outside }), world.caller);
    const tokenAccount = await tokenAccountOf(outside, SOLANA_ASSET);
    expect(shown.command).toBe(`spl-token approve ${tokenAccount} 25 ${agent.address} --owner OWNER_KEYPAIR.json --fee-payer OWNER_KEYPAIR.json --url ${world.chain.rpcUrl}`);
    expect(shown.description.join('\n')).toMatch(new RegExp(`${tokenAccount}.*${outside}.*${agent.address}.*25 USDC \\(25000000 base units\\)`, 's'));
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(shown.transaction));
    const signed = await partiallySignTransaction([await createKeyPairFromPrivateKeyBytes(secret)], transaction);
    expect(world.chain.bank.submit(signed)).toMatchObject({ kind: 'landed', transaction: { err: null } });
    expect(await world.onChain(outside)).toEqual({ amount: 50n * UNIT, delegate: agent.address, delegated: 25n * UNIT });
    // It shows once an account here pays from there.
    const { delegations } = await world.routes['delegations.list']({}, world.caller);
    expect(delegations.filter((one) => one.owner === outside)).toEqual([]);
  });
});
