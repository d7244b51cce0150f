import { describe, expect, test } from 'vitest';
import type { Rail } from '../../../../src/core/ports.ts';
import { localTime } from '../../../../src/core/policy/local-time.ts';
import { settle } from '../../../support/manual-clock.ts';
import { createWorld, PAYEE, served } from '../../../support/payment-world.ts';

const ZONE = 'Europe/Berlin';

describe('I3: a reservation that relies on what was assessed before its signature, although meanwhile', () => {
  let during: () => unknown = () => {};
  const sign: Rail['sign'] = async ({ now }) => {
    await during();
    return { payloadText: '{}', track: { nonce: '0' }, outstandingUntil: now + 60_000 };
  };

  test('the policy was changed', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' }, rail: { sign } });
    during = () => world.setPolicy({ rules: [{ when: {}, verdict: 'deny' }] });
    expect(await world.call([]).outcome).toMatchObject({ error: { code: 'POLICY_DENIED' } });
    expect(world.rows()).toMatchObject([{ decision: 'denied', money: 'none' }]);
  });

  test('another payment took the budget', async () => {
    const world = createWorld({ policy: { otherwise: 'allow', caps: [{ over: {}, window: 'day', unit: 'payments', amount: '1' }] }, rail: { sign } });
    let turns = 0;
    during = async () => {
      turns += 1;
      if (turns === 1) await world.call([async () => served()], { tool: 'other' }).outcome;
    };
    expect(await world.call([]).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
    expect(world.rows().map(({ tool, money }) => `${tool} ${money}`)).toEqual(['forecast none', 'other outstanding']);
  });

  test('a server text named the payee', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' }, rail: { sign } });
    let told = '';
    during = () => {
      told = 'a result of tool "search" of server "web"';
    };
    const { leave } = world.call([], { seenIn: (reference) => (reference === PAYEE.toLowerCase() ? told : '') });
    await settle();
    expect(world.approvals.waiting()).toMatchObject([{ assessment: { verdict: 'ask' } }]);
    expect(world.rows()).toMatchObject([{ decision: 'waiting', money: 'reserved' }]);
    leave();
  });

  test('a new day began', async () => {
    const world = createWorld({ policy: { otherwise: 'allow', caps: [{ over: {}, window: 'day', unit: 'payments', amount: '1' }] }, rail: { sign } });
    const { hour, minute } = localTime(world.clock.now(), ZONE);
    await world.clock.advance((24 * 60 - hour * 60 - minute) * 60_000 - (world.clock.now() % 60_000) - 500);
    during = () => world.clock.advance(2_000);
    await world.call([async () => served()]).outcome;
    during = () => {};
    expect(await world.call([], { tool: 'other' }).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  });
});
