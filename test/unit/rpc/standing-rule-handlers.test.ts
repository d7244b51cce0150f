import { describe, expect, test } from 'vitest';
import { VISIBLE_BEFORE_ANSWER_MS } from '../../../src/core/payments/approvals.ts';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { standingRuleHandlers } from '../../../src/main/rpc/handlers/standing-rules.ts';
import { createSavePolicy } from '../../../src/main/rpc/save-policy.ts';
import { RuleProposal, type StandingAct } from '../../../src/shared/contract/standing-rules.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import type { Policy } from '../../../src/shared/policy/policy.ts';
import { settle } from '../../support/manual-clock.ts';
import { challenge, createWorld, offer, PAYEE, served, USDC, type WorldOptions } from '../../support/payment-world.ts';

const page: Caller = { surface: 'approval', connection: 'page', host: 'headless' };
const ALLOW: StandingAct = { kind: 'allow-tool', perDay: '0.05' };
const BLOCK: StandingAct = { kind: 'block-server' };
const DENY = { when: { upstream: 'weather' }, verdict: 'deny', note: 'blocked' };

/** The core on a real journal, with the handlers over it. */
function open(options: WorldOptions = {}) {
  const world = createWorld(options);
  const current = () => ({ ...world.choosing.policies.current(), savedAt: 0, author: 'owner' });
  const save = ({ basedOn, policy }: { basedOn: number; policy: Policy }) => {
    if (basedOn !== current().number) throw new BursarError('APPROVAL_STALE', 'The policy was changed meanwhile.');
    world.setPolicy(policy);
    return current();
  };
  let made = 0;
  const keys = { get locked() { return world.state.locked; } };
  const handlers = standingRuleHandlers({
    get approvals() {
      return world.approvals;
    },
    policies: { current },
    savePolicy: createSavePolicy({ policies: { save }, approvals: world.approvals, addUp: () => {}, reassess: () => {}, changed: () => {} }),
    journal: world.journal,
    keys,
    clock: world.clock,
    random: (length) => new Uint8Array(length).fill((made += 1)),
    addUp: () => {},
  });
  /** What waits, as the page would name it, looked at for its second. */
  const shown = async () => {
    await settle();
    const [waiting] = world.approvals.waiting();
    if (!waiting) throw new Error('nothing waits');
    const { payment: { id: paymentId, termsDigest }, nonce } = waiting;
    world.approvals.report({ paymentId, visible: true });
    await world.clock.advance(VISIBLE_BEFORE_ANSWER_MS);
    return { paymentId, termsDigest, nonce };
  };
  const propose = async (request: Awaited<ReturnType<typeof shown>>, act: StandingAct, caller = page) => RuleProposal.parse(await handlers['approvals.proposeRule']({ ...request, act }, caller));
  const saveRule = async (request: Awaited<ReturnType<typeof shown>>, proposal: string, caller = page, kind: StandingAct['kind'] = 'allow-tool') => handlers['approvals.saveRule']({ ...request, proposal, kind }, caller);
  return { world, shown, propose, saveRule };
}

const code = (wanted: string) => expect.objectContaining({ code: wanted });

describe('a tool that the owner allows beside a request', () => {
  test('is saved otherwise than it was shown, or pays the next time only after asking', async () => {
    const { world, shown, propose, saveRule } = open();
    const first = world.call([async () => served()]);
    const request = await shown();
    const proposal = await propose(request, ALLOW);
    expect(world.choosing.policies.current().number).toBe(1);
    expect(proposal).toMatchObject({ kind: 'allow-tool', place: 1, rules: 1, ends: 0, cap: { limitUnits: '50000', usedUnits: '10000', limitUsdUnits: '50000', label: 'per day, server weather, tool forecast' } });
    await world.clock.advance(VISIBLE_BEFORE_ANSWER_MS);
    await saveRule(request, proposal.id);
    expect(world.policy.rules).toEqual([proposal.rule]);
    expect(world.policy.caps.at(-1)).toEqual(proposal.cap?.cap);
    expect(proposal.rule.when).toEqual({ upstream: 'weather', tool: 'forecast', payee: PAYEE, client: 'claude', asset: `eip155:84532/erc20:${USDC}`, amount: { atMost: '0.01', unit: `eip155:84532/erc20:${USDC}` } });
    // The request still waits: saving a rule answers nothing.
    expect(world.approvals.waiting()).toHaveLength(1);
    await world.decide('approve');
    expect(await first.outcome).toMatchObject({ kind: 'answer' });
    for (const city of ['Bern', 'Rom', 'Oslo', 'Wien']) expect(await world.call([async () => served()], { argumentsText: JSON.stringify({ city }) }).outcome).toMatchObject({ kind: 'answer' });
    // Five times 0.01 are spent: the sixth is above the limit.
    expect(await world.call([], { argumentsText: '{"city":"Paris"}' }).outcome).toMatchObject({ kind: 'refusal', error: { code: 'BUDGET_EXCEEDED' } });
    expect(world.state.signed).toHaveLength(5);
  });

  test('I7: is saved before its second, for another connection or request, twice, or on top of a policy that changed meanwhile', async () => {
    const { world, shown, propose, saveRule } = open();
    world.call([async () => served()]);
    const request = await shown();
    const proposal = await propose(request, ALLOW);
    await expect(saveRule(request, proposal.id)).rejects.toThrow(code('APPROVAL_TOO_EARLY'));
    await world.clock.advance(VISIBLE_BEFORE_ANSWER_MS);
    await expect(saveRule(request, proposal.id, { ...page, connection: 'another' })).rejects.toThrow(code('APPROVAL_STALE'));
    await expect(saveRule({ ...request, nonce: 'f'.repeat(32) }, proposal.id)).rejects.toThrow(code('APPROVAL_STALE'));
    await expect(saveRule({ ...request, termsDigest: 'f'.repeat(64) }, proposal.id)).rejects.toThrow(code('APPROVAL_STALE'));
    await expect(saveRule(request, proposal.id, page, 'block-server')).rejects.toThrow(code('APPROVAL_STALE'));
    await expect(saveRule(request, 'f'.repeat(32))).rejects.toThrow(code('APPROVAL_STALE'));
    world.approvals.report({ paymentId: request.paymentId, visible: false });
    await expect(saveRule(request, proposal.id)).rejects.toThrow(code('APPROVAL_TOO_EARLY'));
    expect(world.policy.rules).toEqual([]);

    await shown();
    world.setPolicy({ otherwise: 'deny', rules: [{ when: { upstream: 'weather' }, verdict: 'ask' }] });
    await expect(saveRule(request, proposal.id)).rejects.toThrow(code('APPROVAL_STALE'));
    const anew = await propose(request, ALLOW);
    await world.clock.advance(VISIBLE_BEFORE_ANSWER_MS);
    await saveRule(request, anew.id);
    await expect(saveRule(request, anew.id)).rejects.toThrow(code('APPROVAL_STALE'));
    expect(world.policy.rules).toHaveLength(2);
  });

  test('is proposed below what this payment takes with what was spent today, or of a wallet that is locked', async () => {
    const { world, shown, propose, saveRule } = open();
    const spent = world.call([async () => served()]);
    await world.decide('approve');
    await spent.outcome;
    world.call([], { argumentsText: '{"city":"Bern"}' });
    const request = await shown();
    await expect(propose(request, { kind: 'allow-tool', perDay: '0.019' })).rejects.toThrow(/0.02 USDC/);
    const proposal = await propose(request, { kind: 'allow-tool', perDay: '0.02' });
    await world.clock.advance(VISIBLE_BEFORE_ANSWER_MS);
    world.state.locked = true;
    await expect(saveRule(request, proposal.id)).rejects.toThrow(code('WALLET_LOCKED'));
    expect(world.policy.rules).toEqual([]);
  });

  test.each([
    ['changed terms', {}, { amount: '20000' }, /terms changed/],
    ['a payee that another server brought up', { seenIn: (reference: string) => (reference === PAYEE.toLowerCase() ? 'a result of tool "search" of server "web"' : '') }, {}, /Another server/],
    ['an upfront flow', {}, { extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' } }, /moves before/],
    ['a client without proof', { client: 'claude (unverified)' }, {}, /did not prove/],
    ['a tool called *', { tool: '*' }, {}, /\* or \?/],
  ])('is proposed beside %s', async (_, call, change, words) => {
    const { world, shown, propose } = open();
    if (_ === 'changed terms') {
      const before = world.call([async () => served()]);
      await world.decide('approve');
      await before.outcome;
      world.chain.set('0', { state: 'settled', transaction: '0xfeed', final: true });
      await world.clock.advance(60_000);
    }
    world.call([], { argumentsText: '{"city":"Bern"}', answer: { text: challenge([offer('10000', change)]) }, ...call });
    await expect(propose(await shown(), ALLOW)).rejects.toThrow(words);
  });
});

describe('a server that the owner blocks beside a request', () => {
  test('is paid what waits or comes after it, or a person cannot say so while Bursar is locked', async () => {
    const { world, shown, propose, saveRule } = open({ policy: { rules: [{ when: { tool: 'forecast' }, verdict: 'ask' }] }, locked: true });
    const [first, second] = [world.call([]), world.call([], { argumentsText: '{"city":"Bern"}' })];
    const request = await shown();
    const proposal = await propose(request, BLOCK);
    expect(proposal).toMatchObject({ kind: 'block-server', rule: DENY, place: 1, rules: 2, ends: 2 });
    await world.clock.advance(VISIBLE_BEFORE_ANSWER_MS);
    await saveRule(request, proposal.id, page, 'block-server');
    expect(world.policy.rules[0]).toEqual(DENY);
    for (const call of [first, second]) expect(await call.outcome).toMatchObject({ kind: 'refusal', error: { code: 'POLICY_DENIED' } });
    expect(await world.call([], { argumentsText: '{"city":"Rom"}' }).outcome).toMatchObject({ kind: 'refusal', error: { code: 'POLICY_DENIED' } });
    expect(world.state.signed).toEqual([]);
  });
});
