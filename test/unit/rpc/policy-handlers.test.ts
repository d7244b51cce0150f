import { describe, expect, it } from 'vitest';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { EVM_COIN } from '../../../src/core/registry/coins.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import { policyHandlers } from '../../../src/main/rpc/handlers/policy.ts';
import { createSavePolicy } from '../../../src/main/rpc/save-policy.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { Simulation } from '../../../src/shared/contract/policy.ts';
import { created, newPayment, openStore, use } from '../store/fixtures.ts';

const caller: Caller = { surface: 'cli', connection: 'c', host: 'headless' };

function open() {
  const store = openStore();
  const done: string[] = [];
  const policies = createPolicies(store.db, store.clock, { timeZone: 'Europe/Berlin' });
  const approvals = { cancelAll: () => void done.push('cancelled') };
  const save = createSavePolicy({ policies, approvals, addUp: () => void done.push('added up'), reassess: () => void done.push('reassessed'), changed: () => void done.push('told') });
  const handlers = policyHandlers({ policies, history: createHistory(store.db), assets: REGISTERED, accounts: () => [], save });
  return { ...store, handlers, policies, done };
}

describe('a pause', () => {
  it('leaves what waits, changes anything else, or is no version of its own', async () => {
    const { handlers, policies, done } = open();
    const before = policies.current();
    const paused = await handlers['policy.pause']({}, caller);
    expect(paused).toMatchObject({ number: 2, author: 'owner, cli', policy: { ...before.policy, paused: true } });
    expect(done).toEqual(['cancelled', 'added up', 'reassessed', 'told']);
    expect(await handlers['policy.pause']({}, caller)).toBe(paused);
    expect((await handlers['policy.resume']({}, caller)).policy).toEqual(before.policy);
    expect(done).toHaveLength(7);
  });
});

it('a policy that pauses is saved and leaves what waits, or one of an unknown token is saved', async () => {
  const { handlers, policies, done } = open();
  const { policy } = policies.current();
  await handlers['policy.set']({ basedOn: 1, policy: { ...policy, paused: true } }, caller);
  expect(done).toContain('cancelled');
  const unknown = { ...policy, caps: [{ over: {}, window: 'day' as const, unit: `eip155:1/erc20:0x${'0'.repeat(40)}`, amount: '1' }] };
  expect(() => handlers['policy.set']({ basedOn: 2, policy: unknown }, caller)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  expect(policies.versions()).toHaveLength(2);
});

it('a simulation changes something, or says of the past what no policy would', async () => {
  const { handlers, journal, db, policies, done } = open();
  for (const tool of ['joke', 'joke', 'poem']) {
    const id = `p${String(db.prepare('SELECT count(*) FROM payments').pluck().get())}`;
    const terms = { ...newPayment(id).terms!, tool };
    journal.atomically((tx) => tx.insert(newPayment(id, { tool, terms }), [use(10_000n)], created));
  }
  const before = db.serialize();
  const policy = { ...policies.current().policy, caps: [{ over: {}, window: 'day' as const, unit: 'USD' as const, amount: '0.01' }], rules: [{ when: { tool: 'joke' }, verdict: 'allow' as const }] };
  const simulation = Simulation.parse(await handlers['policy.simulate']({ policy, limit: 100 }, caller));
  expect(simulation.counts).toEqual({ allow: 1, ask: 0, deny: 2 });
  expect(simulation.payments.map(({ id, verdict, rule }) => [id, verdict, rule])).toEqual([
    ['p0', 'allow', 'Rule: allow tool joke'],
    ['p1', 'deny', '$0.01 is above the limit of $0.01 (per day). $0.01 of it is used or held.'],
    ['p2', 'deny', '$0.01 is above the limit of $0.01 (per day). $0.01 of it is used or held.'],
  ]);
  expect(db.serialize().equals(before)).toBe(true);
  expect(done).toEqual([]);
});

it('a simulation forgets what the fee of a payment had no price for, and what nobody knows of the past is not said', async () => {
  const { handlers, journal, policies } = open();
  const fee = { asset: `eip155:84532/erc20:${EVM_COIN}`, units: baseUnits(21_000n), at: 1_700_000_000_000, session: 's1' };
  journal.atomically((tx) => tx.insert(newPayment('p0'), [use(10_000n), fee], created));
  const policy = { ...policies.current().policy, otherwise: 'allow' as const };
  const { payments, notReplayed } = Simulation.parse(await handlers['policy.simulate']({ policy, limit: 100 }, caller));
  expect(payments).toMatchObject([{ verdict: 'ask', rule: expect.stringMatching(/^Asks because the fee of up to .* ETH has no price/) }]);
  expect(notReplayed.join(' ')).toMatch(/Balances/);
  const uncapped = Simulation.parse(await handlers['policy.simulate']({ policy: { ...policy, caps: [] }, limit: 100 }, caller));
  expect(uncapped.payments).toMatchObject([{ verdict: 'ask', rule: expect.stringMatching(/^Asks because no limit counts the fee of up to .* ETH/) }]);
});
