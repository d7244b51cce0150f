import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/core/ports.ts';
import { openDelegationWorld, type DelegationWorld, type ToolResult } from './delegation-world.ts';

/** What agents ask of the owner, through the tools and the routes, on a real Solana VM. */

let world: DelegationWorld;
let owner: Account;
const UNIT = 1_000_000n;

beforeAll(async () => {
  world = await openDelegationWorld();
  owner = await world.add('Savings');
  await world.chain.fund(owner.address, { usdc: 100n * UNIT, gas: true });
});
afterAll(() => world?.close());
beforeEach(() => void world.start());

const list = async () => (await world.routes['requests.list']({}, world.caller)).requests;
const approve = (id: string, change: { act?: string; label?: string } = {}) => world.routes['requests.approve']({ id, ...change }, world.caller);
const reject = async (id: string) => world.routes['requests.reject']({ id }, world.caller);
const idOf = (result: ToolResult): string => String(result.structuredContent?.['requestId']);
const errorOf = (result: ToolResult): unknown => result.isError === true && JSON.parse(result.content[0]!.text);

describe('the whole road of an agent', () => {
  test('I7: an account is made, an amount approved or taken back before the owner said so, or the agent does not hear of it', async () => {
    expect(errorOf(await world.tool('x402_check_delegation'))).toMatchObject({ error: 'NO_DELEGATION' });
    const before = { accounts: world.accounts().length, touched: await world.touched(owner.address) };

    // Setup: asked once, however often.
    const asked = await world.tool('x402_setup_agent', { amount: 25, passphrase: 'correct horse', reason: 'I buy weather data\u202e' });
    expect(asked.structuredContent).toMatchObject({ status: 'waiting', requestId: expect.stringMatching(/^req_/), says: expect.stringMatching(/^The owner was asked and has not decided yet; nothing was done/) });
    expect(idOf(await world.tool('x402_setup_agent', { amount: '25.0', reason: 'other words' }))).toBe(idOf(asked));
    expect({ accounts: world.accounts().length, touched: await world.touched(owner.address) }).toEqual(before);
    expect(await list()).toMatchObject([{ id: idOf(asked), client: 'claude', kind: 'setup', granted: true, state: 'waiting', reason: 'I buy weather data', money: { units: '25000000' }, text: 'Make an account that pays for agents, and let it spend 25.00 USDC on Solana Devnet of yours.' }]);
    expect(JSON.stringify(await list())).not.toContain('correct horse');

    const [made, twice] = await Promise.all([approve(idOf(asked), { label: 'Claude' }), approve(idOf(asked))]);
    expect(twice.account).toBe(made.account);
    const agent = made.account!;
    expect(world.account(agent)).toMatchObject({ label: 'Claude', namespace: 'solana' });
    expect(world.accounts()).toHaveLength(before.accounts + 1);
    expect(await world.touched(owner.address)).toBe(before.touched);
    expect((await world.tool('x402_setup_agent')).structuredContent).toMatchObject({ status: 'approved', account: agent });
    expect(errorOf(await world.tool('x402_setup_agent'))).toMatchObject({ error: 'KEYPAIR_EXISTS', message: expect.stringContaining(agent) });

    // An amount for the account that is there.
    const more = await world.tool('x402_setup_agent', { amount: '30' });
    expect(await list()).toMatchObject([{ kind: 'approve', delegate: agent, money: { units: '30000000' } }, { state: 'approved' }]);
    await expect(approve(idOf(more))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(approve(idOf(more), { act: '0'.repeat(32) })).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
    const other = await world.add('Other');
    const wrong = await world.routes['delegations.quote']({ kind: 'approve', owner: owner.address, delegate: other.address, amount: '30' }, world.caller);
    await expect(approve(idOf(more), { act: wrong.act })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await world.onChain(owner.address)).toMatchObject({ delegate: '' });
    // The owner allows less than was asked.
    const shown = await world.routes['delegations.quote']({ kind: 'approve', owner: owner.address, delegate: agent, amount: '20' }, world.caller);
    const approving = approve(idOf(more), { act: shown.act });
    await expect(reject(idOf(more))).rejects.toMatchObject({ code: 'APPROVAL_STALE', message: expect.stringContaining('being carried out') });
    const approved = await approving;
    expect(approved).toMatchObject({ request: { state: 'approved' }, act: { state: 'final', money: { units: '20000000' } } });
    expect(await world.onChain(owner.address)).toMatchObject({ delegate: agent, delegated: 20n * UNIT });
    expect((await world.tool('x402_setup_agent', { amount: '30' })).structuredContent).toMatchObject({ status: 'approved', says: expect.stringContaining(approved.act!.transaction) });
    expect((await world.tool('x402_check_delegation')).structuredContent).toMatchObject({ delegations: [{ delegate: agent, owner: owner.address, remaining: '20.00', approved: '20.00', balance: '100.00', spendable: '20.00' }] });

    // Taking it back.
    const back = await world.tool('x402_revoke_delegation', { passphrase: 'x' });
    expect(await world.onChain(owner.address)).toMatchObject({ delegated: 20n * UNIT });
    const ending = await world.routes['delegations.quote']({ kind: 'revoke', owner: owner.address }, world.caller);
    expect(await approve(idOf(back), { act: ending.act })).toMatchObject({ request: { state: 'approved' }, act: { kind: 'revoke', state: 'final' } });
    expect(await world.onChain(owner.address)).toMatchObject({ delegate: '' });
    expect((await world.tool('x402_revoke_delegation')).structuredContent).toMatchObject({ status: 'approved' });
    expect(errorOf(await world.tool('x402_revoke_delegation'))).toMatchObject({ error: 'NO_DELEGATION' });
  });
});

describe('an agent that asks and asks', () => {
  const ask = (client: string, amount: number) => world.tool('x402_setup_agent', { force: true, amount: String(amount) }, client);

  test('buries the owner in requests, under one name or many, or asks again for what was rejected', async () => {
    const results: ToolResult[] = [];
    for (let amount = 1; amount <= 8; amount++) results.push(await ask('flooder', amount));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(5);
    expect(errorOf(results[5]!)).toMatchObject({ error: 'SETUP_FAILED', code: 'APPROVAL_QUEUE_FULL', message: expect.stringMatching(/^5 requests of this client wait/) });
    for (let name = 0; name < 30; name++) await ask(`name ${name}`, 1);
    expect((await list()).filter(({ state }) => state === 'waiting')).toHaveLength(20);

    const [first] = results;
    await reject(idOf(first!));
    expect((await ask('flooder', 1)).structuredContent).toMatchObject({ requestId: idOf(first!), status: 'rejected', says: expect.stringContaining('Do not ask for the same again') });
    expect((await ask('flooder', 1)).structuredContent).toMatchObject({ requestId: idOf(first!), status: 'rejected' });
    await expect(approve(idOf(first!))).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
    await expect(reject(idOf(first!))).rejects.toMatchObject({ code: 'APPROVAL_STALE' });

    // Another client's requests are not told to it.
    expect((await ask('name 1', 1)).structuredContent).toMatchObject({ status: 'waiting' });
    // A day later nothing of it waits, and the rejection no longer holds.
    const { length: made } = world.accounts();
    world.later(24 * 3_600_000 + 1);
    expect((await list()).filter(({ state }) => state === 'waiting')).toEqual([]);
    await expect(approve(idOf(results[1]!))).rejects.toMatchObject({ code: 'APPROVAL_STALE', message: expect.stringContaining('expired') });
    expect(world.accounts()).toHaveLength(made);
    expect((await ask('flooder', 2)).structuredContent).toMatchObject({ status: 'expired' });
    expect((await ask('flooder', 2)).structuredContent).toMatchObject({ status: 'waiting' });
  });

  test('I7: and was revoked since, still gets what it asked for', async () => {
    const asked = await world.tool('x402_setup_agent', { force: true }, 'gone');
    const { length: made } = world.accounts();
    world.granted.set('gone', []);
    expect((await list()).find(({ id }) => id === idOf(asked))).toMatchObject({ granted: false, state: 'waiting' });
    await expect(approve(idOf(asked))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(world.accounts()).toHaveLength(made);
    expect((await list()).find(({ id }) => id === idOf(asked))).toMatchObject({ state: 'expired', outcome: 'The client may not ask for this any more.' });
  });

  test.each([
    [{ amount: '0' }, 'AMOUNT_INVALID'],
    [{ amount: '0.0000001' }, 'AMOUNT_INVALID'],
    [{ amount: '1', token: 'DOGE' }, 'ASSET_UNKNOWN'],
    [{ amount: '1', network: 'Base' }, 'NETWORK_UNSUPPORTED'],
    [{ force: 'yes' }, 'INPUT_INVALID'],
  ])('with a wrong argument (%j) gets a request', async (args, code) => {
    const { length: before } = await list();
    expect(errorOf(await world.tool('x402_setup_agent', args, 'wrong'))).toMatchObject({ error: 'SETUP_FAILED', code });
    expect(await list()).toHaveLength(before);
  });
});
