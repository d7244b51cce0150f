import { describe, expect, test } from 'vitest';
import { assess, type AssessRequest } from '../../../../src/core/policy/assess.ts';
import { requireKnownUnits, requireUsable } from '../../../../src/core/policy/check-policy.ts';
import { presenceRule } from '../../../../src/core/policy/presence.ts';
import { changedTerms } from '../../../../src/core/policy/pins.ts';
import { createSimulator } from '../../../../src/core/policy/simulate.ts';
import { claimedName, isUnverified, unverifiedName } from '../../../../src/core/policy/unverified.ts';
import type { Payment } from '../../../../src/core/payments/payment.ts';
import type { Terms } from '../../../../src/core/payments/terms.ts';
import type { Account } from '../../../../src/core/ports.ts';
import { ASSETS, REGISTERED, type Asset } from '../../../../src/core/registry/assets.ts';
import { coinOf } from '../../../../src/core/registry/coins.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import { defaultPolicy, type Cap, type Policy } from '../../../../src/shared/policy/policy.ts';
import { newPayment } from '../../store/payments.ts';

const usdc = ASSETS.find(({ network }) => network === 'eip155:84532')!;
const { pegged: _, ...unpegged } = usdc;
const terms = newPayment('p').terms as Terms;
const tokens = `${usdc.network}/erc20:${usdc.address}`;

const say = (policy: Partial<Policy>, change: Partial<AssessRequest> = {}, asset: Asset = usdc) =>
  assess({
    policy: { ...defaultPolicy('UTC'), caps: [], otherwise: 'allow', ...policy },
    terms,
    asset,
    costs: [],
    prices: { usdOf: () => undefined },
    session: 's1',
    now: Date.UTC(2026, 0, 15),
    used: () => baseUnits(0n),
    pin: undefined,
    everPaidPayee: false,
    origins: [],
    mustAsk: '',
    ...change,
  });

const cap = (change: Partial<Cap>): Cap => ({ over: {}, window: 'day', unit: 'USD', amount: '0.01', ...change });

describe('a client that did not prove its name', () => {
  const claimed: Partial<AssessRequest> = { terms: { ...terms, client: unverifiedName('cursor') } };
  const proved: Partial<AssessRequest> = { terms: { ...terms, client: 'cursor' } };
  const allow: Partial<Policy> = { rules: [{ when: { client: 'cursor' }, verdict: 'allow' }], otherwise: 'ask' };

  test('is allowed what a rule allows the client of that name, or anything without asking (I7)', () => {
    expect(say(allow, proved).verdict).toBe('allow');
    expect(say(allow, claimed)).toMatchObject({ verdict: 'ask', rule: 'Asks because this client did not prove its name' });
    expect(say({ otherwise: 'allow' }, claimed).verdict).toBe('ask');
  });

  test('I3: slips past the limit or the denial of the client of that name', () => {
    expect(say({ caps: [cap({ over: { client: 'cursor' }, amount: '0' })] }, claimed)).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXCEEDED' });
    expect(say({ rules: [{ when: { client: 'cursor' }, verdict: 'deny' }] }, claimed).verdict).toBe('deny');
    expect(say({ caps: [cap({ over: { client: 'other' }, amount: '0' })] }, claimed).verdict).toBe('ask');
  });

  test('poses as a proved one by the name that it gives', () => {
    for (const name of ['', 'cursor', 'cursor (unverified)', 'a (unveri (unverified)fied)', 'x'.repeat(400), '\u202ecursor\n', '🌧']) {
      const shown = unverifiedName(name);
      expect(isUnverified(shown)).toBe(true);
      expect(isUnverified(claimedName(shown))).toBe(false);
      expect(shown.length).toBeLessThanOrEqual(60);
    }
    expect(unverifiedName('\u202ecursor\n')).toBe('cursor (unverified)');
  });
});

describe('a cap', () => {
  test.each<[string, Partial<Cap>, boolean]>([
    ['exactly reached', {}, true],
    ['exceeded by the smallest part', { amount: '0.009999' }, false],
    ['in the token', { unit: tokens, amount: '0.01' }, true],
    ['in the token, exceeded', { unit: tokens, amount: '0.009999' }, false],
    ['in the token with more digits than it has', { unit: tokens, amount: '0.0099999999' }, false],
    ['in a token that the payment is not in', { unit: tokens.replace('84532', '8453'), amount: '0' }, true],
    ['over another server', { over: { upstream: 'other' }, amount: '0' }, true],
    ['of no payments', { unit: 'payments', amount: '0', window: 'hour' }, false],
  ])('I3: %s, is decided wrongly', (_name, change, fits) => {
    expect(say({ caps: [cap(change)] }).verdict).toBe(fits ? 'allow' : 'deny');
  });

  test('I3: what is used already does not count, or the refusal does not say how much', () => {
    const result = say({ caps: [cap({ window: { rollingMinutes: 120 }, unit: 'payments', amount: '3', over: { tool: 'jo*' } })] }, { used: () => baseUnits(3n) });
    expect(result).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXCEEDED', rule: '1 payment is above the limit of 3 payments (in 2 hours, tool jo*). 3 payments of it is used or held.' });
  });

  test('I3: a token without a price passes a limit in dollars, or is stopped by one in its own units', () => {
    expect(say({ caps: [cap({ amount: '1000000' })] }, {}, unpegged)).toMatchObject({ verdict: 'deny', code: 'PRICE_UNKNOWN', rule: expect.stringContaining('no price for USDC') });
    expect(say({ caps: [cap({ unit: tokens })] }, {}, unpegged).verdict).toBe('allow');
    expect(say({ caps: [cap({ over: { upstream: 'other' } })] }, {}, unpegged).verdict).toBe('allow');
  });

  test('I3: a price is rounded down, or not frozen in what is held', () => {
    const prices = { usdOf: () => baseUnits(1_999_999n) };
    expect(say({}, { prices, terms: { ...terms, amount: baseUnits(1n) } }, unpegged).use.usd).toBe(2n);
    expect(say({ caps: [cap({ amount: '0.019999' })] }, { prices }, unpegged).verdict).toBe('deny');
    expect(say({ caps: [cap({ amount: '0.02' })] }, { prices }, unpegged).verdict).toBe('allow');
  });
});

describe('the order', () => {
  test('a pause or a list can be passed by a rule', () => {
    expect(say({ paused: true })).toMatchObject({ verdict: 'deny', code: 'PAYMENTS_PAUSED' });
    expect(say({ only: { upstreams: ['other'] } })).toMatchObject({ verdict: 'deny', code: 'POLICY_DENIED' });
  });

  test('changed terms or a foreign address are allowed by a rule, or ask where a rule denies', () => {
    const pin = { ...terms, payee: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', amount: baseUnits(5_000n) };
    const asked = say({}, { pin });
    expect(asked).toMatchObject({ verdict: 'ask', rule: 'Asks because the payee and price changed since the last payment for this tool' });
    expect(asked.changes).toEqual([
      { what: 'payee', before: pin.payee, now: terms.payee },
      { what: 'price', before: '0.005 USDC', now: '0.01 USDC' },
    ]);
    expect(say({ rules: [{ when: { changedTerms: true }, verdict: 'allow' }] }, { pin }).verdict).toBe('ask');
    expect(say({ rules: [{ when: { changedTerms: true }, verdict: 'deny' }] }, { pin }).verdict).toBe('deny');
    const origins = [{ what: 'payee' as const, value: terms.payee, where: 'a result of tool "search" of server "web"' }];
    expect(say({}, { origins })).toMatchObject({ verdict: 'ask', rule: 'Asks because the payee first stood in a result of tool "search" of server "web"' });
    expect(say({}, { pin: terms }).verdict).toBe('allow');
  });
});

test('a change of network or token is told as none, or as two', () => {
  const base = { network: 'eip155:8453', asset: ASSETS[0]!.address } as const;
  expect(changedTerms({ ...terms, ...base }, terms, REGISTERED).map(({ what, before, now }) => [what, before, now])).toEqual([['network', 'Base', 'Base Sepolia']]);
  expect(changedTerms({ ...terms, asset: '0xother' }, terms, REGISTERED).map(({ what }) => what)).toEqual(['asset', 'price']);
});

test('a limit in a token that nobody knows is stored, and holds nothing back', () => {
  const unknown = tokens.replace('0x03', '0x04');
  for (const policy of [{ caps: [cap({ unit: unknown })] }, { caps: [cap({ unit: tokens, amount: '0.0000001' })] }, { rules: [{ when: { amount: { unit: unknown } }, verdict: 'deny' as const }] }]) {
    expect(() => requireKnownUnits({ ...defaultPolicy('UTC'), ...policy })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  }
  requireKnownUnits({ ...defaultPolicy('UTC'), caps: [cap({ unit: tokens })] });
});

test('an amount that nothing can be counted in is stored, so that every payment is refused, and every change of the policy too', () => {
  const huge = `1${'0'.repeat(72)}`;
  const above: Policy = { ...defaultPolicy('UTC'), presence: { above: huge, unit: 'USD' } };
  expect(() => presenceRule(above, false)).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
  for (const policy of [above, { ...defaultPolicy('UTC'), caps: [cap({ amount: huge })] }, { ...defaultPolicy('UTC'), rules: [{ when: { amount: { atMost: huge, unit: 'USD' as const } }, verdict: 'allow' as const }] }]) {
    expect(() => requireUsable(policy)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  }
  requireUsable({ ...above, presence: { above: huge.slice(0, 71), unit: 'USD' }, caps: [cap({ amount: huge.slice(0, 71) })] });
});

test('a simulation counts what was never paid, or forgets what it would have allowed itself', () => {
  const simulate = createSimulator({ ...defaultPolicy('UTC'), otherwise: 'allow', rules: [{ when: { client: 'asked' }, verdict: 'ask' }], caps: [cap({ amount: '0.03' })] }, REGISTERED);
  let id = 0;
  const past = (change: Partial<Payment>, client = 'client-1') => {
    const payment = { ...newPayment(`p${id++}`), createdAt: Date.UTC(2026, 0, 15), ...change, client, terms: { ...terms, client } } as Payment & { terms: Terms };
    return simulate({ payment, session: '' }).verdict;
  };
  expect(past({ decision: 'denied', money: 'none' })).toBe('allow'); // 0.01: it would have been paid
  expect(past({ decision: 'approved', money: 'dead' })).toBe('allow'); // the money never moved
  expect(past({ decision: 'rejected', money: 'none' }, 'asked')).toBe('ask'); // and the owner said no
  expect(past({ decision: 'approved', money: 'settled' }, 'asked')).toBe('ask'); // 0.02
  expect(past({ decision: 'approved', money: 'settled' })).toBe('allow'); // 0.03
  expect(past({ decision: 'approved', money: 'settled' })).toBe('deny');
  expect(past({ decision: 'approved', money: 'settled', createdAt: Date.UTC(2026, 0, 16) })).toBe('allow');
});

test('a simulation allows what asked whatever the rules said, or what the policy lets no account pay', () => {
  const own = (id: string, address: string): Account => ({ id, label: id, namespace: 'eip155', address, source: 'seed' });
  const [first, second] = [own('a', terms.payer), own('b', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC')];
  const simulate = (policy: Partial<Policy>, change: Partial<Payment> = {}, flow: Terms['flow'] = 'authorize') =>
    createSimulator({ ...defaultPolicy('UTC'), otherwise: 'allow', ...policy }, REGISTERED, [first, second])({ payment: { ...newPayment('p'), createdAt: 1, ...change, terms: { ...terms, flow } } as Payment & { terms: Terms }, session: '' });

  const plain = 'Asks because the price stood in plain text, which a fetched page could have written too';
  expect(simulate({}, { rule: plain })).toMatchObject({ verdict: 'ask', rule: plain });
  expect(simulate({}, { rule: 'Asks because Bursar is locked' }).verdict).toBe('allow');
  expect(simulate({}, { rule: 'Asks because the payee and price changed since the last payment for this tool' }).verdict).toBe('allow');
  expect(simulate({}, {}, 'prepay')).toMatchObject({ verdict: 'ask', rule: 'Asks because the money moves before the server answers' });

  const low = { amount: '0.001', unit: 'USD' as const };
  const high = { amount: '1', unit: 'USD' as const };
  expect(simulate({ paying: { accounts: [{ account: first.address, max: low }, { account: second.address, max: low }] } })).toMatchObject({ verdict: 'deny', rule: expect.stringContaining('pays at most $0.001') });
  const bySecond = { rules: [{ when: { account: second.address }, verdict: 'deny' as const }] };
  expect(simulate({ ...bySecond, paying: { accounts: [{ account: first.address, max: low }, { account: second.address, max: high }] } }).verdict).toBe('deny');
  expect(simulate({ ...bySecond, paying: { accounts: [{ account: second.address }] } }).verdict).toBe('deny');
  expect(simulate(bySecond).verdict).toBe('allow');
});

describe('I3: fees', () => {
  const coin = coinOf('eip155:84532');
  const coins = `${coin.network}/erc20:${coin.address}`;
  const cost = (units: bigint, asset: Asset = coin) => ({ costs: [{ asset, units: baseUnits(units) }] });

  test('are no part of a limit in dollars, in their own coin, or over everything', () => {
    const priced = { prices: { usdOf: (asset: Asset) => (asset.symbol === 'ETH' ? baseUnits(2_000_000_000n) : undefined) } };
    // 0.00001 ETH at $2000 is two cents; the payment itself is one.
    const fee = cost(10_000_000_000_000n);
    expect(say({ caps: [cap({ amount: '0.03' })] }, { ...fee, ...priced })).toMatchObject({ verdict: 'allow', budgets: [{ units: 30_000n }] });
    expect(say({ caps: [cap({ amount: '0.029999' })] }, { ...fee, ...priced })).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXCEEDED' });
    expect(say({}, fee).fees).toEqual([expect.objectContaining({ asset: coins, units: 10_000_000_000_000n, paid: tokens })]);
  });

  test('without a price pass under a limit in dollars without the owner, or count as another payment', () => {
    expect(say({ caps: [cap({ amount: '1' })] }, cost(1n))).toMatchObject({ verdict: 'ask', rule: expect.stringMatching(/^Asks because the fee of up to .* ETH has no price/) });
    expect(say({ caps: [cap({ unit: 'payments', amount: '1' })] }, cost(1n))).toMatchObject({ budgets: [{ units: 1n }] });
  });

  test('that no limit counts are paid without the owner, so that a seller can harvest rent', () => {
    const asks = { verdict: 'ask', rule: 'Asks because no limit counts the fee of up to 0.000000000000000001 ETH' };
    expect(say({ caps: [] }, cost(1n))).toMatchObject(asks);
    expect(say({ caps: [cap({ amount: '1', over: { tool: 'other' } })] }, cost(1n))).toMatchObject(asks);
    expect(say({ caps: [cap({ unit: 'payments', amount: '1' })] }, cost(1n))).toMatchObject(asks);
    expect(say({ caps: [cap({ unit: tokens, amount: '1' })] }, cost(1n))).toMatchObject(asks);
    expect(say({ caps: [cap({ unit: coins, amount: '1' })] }, cost(1n)).verdict).toBe('allow');
    expect(say({ caps: [] }).verdict).toBe('allow');
  });

  test('in the token that is paid are held apart from it, or lost', () => {
    expect(say({ caps: [cap({ unit: tokens, amount: '0.010001' })] }, cost(1n, usdc))).toMatchObject({ verdict: 'allow', use: { units: 10_001n, usd: 10_001n }, fees: [] });
    expect(say({ caps: [cap({ unit: tokens, amount: '0.01' })] }, cost(1n, usdc))).toMatchObject({ verdict: 'deny', code: 'BUDGET_EXCEEDED' });
  });
});
