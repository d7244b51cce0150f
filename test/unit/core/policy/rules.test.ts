import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HeldUse } from '../../../../src/core/policy/budget-sums.ts';
import { outsideOf, ruleFor, ruleWords } from '../../../../src/core/policy/rules.ts';
import { matchesGlob } from '../../../../src/core/policy/scope.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import { defaultPolicy, Policy, type Rule, type RuleMatch } from '../../../../src/shared/policy/policy.ts';
import { PAYEE, USDC } from '../../../support/payment-world.ts';

const ASSET = `eip155:84532/erc20:${USDC}`;
/** Thursday, 13:30 in Berlin. */
const AT = Date.UTC(2026, 0, 15, 12, 30);

const held: HeldUse = {
  client: 'claude', upstream: 'weather', tool: 'forecast_daily', network: 'eip155:84532', payee: PAYEE, payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  asset: ASSET, paid: ASSET, units: baseUnits(10_000n), usd: baseUnits(10_000n), at: AT, session: 's1',
};
const subject = { use: held, dialect: 'x402-mcp', first: { tool: true, payee: false }, changedTerms: false, sinceBought: 599_999 };

const matches = (when: RuleMatch, change: Partial<typeof subject> = {}, verdict: 'allow' | 'deny' = 'allow') =>
  ruleFor({ ...defaultPolicy('Europe/Berlin'), rules: [{ when, verdict }] }, { ...subject, ...change }) !== undefined;

describe('a rule', () => {
  test.each<[string, RuleMatch, RuleMatch]>([
    ['server', { upstream: 'weather' }, { upstream: 'weathe' }],
    ['tool', { tool: 'forecast_*' }, { tool: 'forecast' }],
    ['client', { client: 'claude' }, { client: 'cursor' }],
    ['network', { network: 'eip155:84532' }, { network: 'eip155:8453' }],
    ['payee, whatever its case,', { payee: PAYEE.toLowerCase() }, { payee: held.payer }],
    ['account', { account: held.payer }, { account: PAYEE }],
    ['token', { asset: ASSET.toLowerCase() }, { asset: ASSET.replace('84532', '8453') }],
    ['dialect', { dialect: 'x402-mcp' }, { dialect: 'mpp' }],
    ['lower end of an amount', { amount: { atLeast: '0.01', unit: 'USD' } }, { amount: { atLeast: '0.010001', unit: 'USD' } }],
    ['upper end of an amount', { amount: { atMost: '0.01', unit: ASSET } }, { amount: { atMost: '0.009999', unit: ASSET } }],
    ['token of an amount', { amount: { unit: ASSET } }, { amount: { unit: ASSET.replace('84532', '8453') } }],
    ['day', { during: { days: ['thu'] } }, { during: { days: ['wed', 'fri'] } }],
    ['beginning of a time', { during: { from: '13:30' } }, { during: { from: '13:31' } }],
    ['end of a time', { during: { to: '13:31' } }, { during: { to: '13:30' } }],
    ['time over midnight', { during: { from: '22:00', to: '14:00' } }, { during: { from: '22:00', to: '06:00' } }],
    ['first payment', { firstPayment: 'tool' }, { firstPayment: 'payee' }],
    ['change of terms', { changedTerms: false }, { changedTerms: true }],
    ['repeat of a call', { repeatWithinMinutes: 10 }, { repeatWithinMinutes: 9 }],
    ['one of several parts', { upstream: 'weather', tool: '*daily' }, { upstream: 'weather', tool: 'weekly' }],
  ])('matches another %s, or not its own', (_, yes, no) => {
    expect([matches(yes), matches(no)]).toEqual([true, false]);
  });

  test('that denies large amounts lets one through whose worth nobody knows, or one that allows small ones takes it', () => {
    const { usd: _, ...unpriced } = held;
    expect(matches({ amount: { atLeast: '5', unit: 'USD' } }, { use: unpriced }, 'deny')).toBe(true);
    expect(matches({ amount: { atMost: '5', unit: 'USD' } }, { use: unpriced }, 'allow')).toBe(false);
  });

  test('that asks about large amounts lets one through whose worth nobody knows, or asks about what another one denies', () => {
    const { usd: _, ...unpriced } = held;
    const large: Rule = { when: { amount: { atLeast: '5', unit: 'USD' } }, verdict: 'ask' };
    const decided = (rules: readonly Rule[], otherwise: Policy['otherwise'], use: HeldUse = unpriced) => {
      const policy: Policy = { ...defaultPolicy('UTC'), rules: [...rules], otherwise };
      const rule = ruleFor(policy, { ...subject, use });
      return rule === large ? 'large' : (rule?.verdict ?? otherwise);
    };
    const allow: Rule = { when: { upstream: 'weather' }, verdict: 'allow' };
    const deny: Rule = { when: { upstream: 'weather' }, verdict: 'deny' };
    expect([decided([large, allow], 'ask'), decided([large], 'allow'), decided([large, deny], 'allow'), decided([large], 'deny'), decided([allow, large], 'ask')]).toEqual(['large', 'large', 'deny', 'deny', 'allow']);
    expect([decided([large, allow], 'ask', held), decided([large], 'allow', held)]).toEqual(['allow', 'allow']);
    expect(decided([{ when: { ...large.when, tool: 'another' }, verdict: 'ask' }, allow], 'ask')).toBe('allow');
  });

  test('further down wins over the first that matches', () => {
    const rules = [{ when: { tool: 'x' }, verdict: 'allow' }, { when: { upstream: 'weather' }, verdict: 'deny', note: 'first' }, { when: {}, verdict: 'allow' }] as const;
    expect(ruleFor({ ...defaultPolicy('UTC'), rules: [...rules] }, subject)?.note).toBe('first');
  });

  test('is shown without what it matches', () => {
    const when: RuleMatch = { upstream: 'weather', tool: 'f*', amount: { atMost: '1', unit: 'USD' }, during: { days: ['mon'], from: '09:00' }, firstPayment: 'payee', changedTerms: true, repeatWithinMinutes: 120 };
    expect(ruleWords({ when, verdict: 'ask', note: 'work' })).toBe('Rule: ask server weather, tool f*, amount up to 1 USD, mon 09:00 to 24:00, first payment to the payee, terms changed, same call again within 2 hours (work)');
  });
});

test('a list of what may be paid lets others through', () => {
  const policy = defaultPolicy('UTC');
  expect(outsideOf({ ...policy, only: { upstreams: ['weather'], payees: [PAYEE.toLowerCase()] } }, held)).toBe('');
  expect(outsideOf({ ...policy, only: { upstreams: [] } }, held)).toContain('Server weather');
  expect(outsideOf({ ...policy, only: { payees: [held.payer] } }, held)).toContain(PAYEE);
});

test('a glob matches otherwise than its regular expression', () => {
  const word = fc.array(fc.constantFrom('a', 'b', '.', '*', '?'), { maxLength: 8 }).map((parts) => parts.join(''));
  const regular = (glob: string) => new RegExp(`^${glob.replace(/[.]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 's');
  fc.assert(
    fc.property(word, word, (glob, text) => {
      expect(matchesGlob(glob, text)).toBe(regular(glob).test(text));
    }),
    { numRuns: 2000 },
  );
  expect(matchesGlob('*a'.repeat(100), 'a'.repeat(99))).toBe(false);
});

describe('a document', () => {
  const old = { version: 1, timeZone: 'Europe/Berlin', caps: [{ over: { upstream: 'demo' }, window: 'day', unit: 'USD', amount: '10.00' }], rules: [{ when: {}, verdict: 'allow', note: 'n' }], otherwise: 'ask' };

  test('that an earlier Bursar wrote is refused, or changed by reading it', () => {
    expect(Policy.parse(old)).toEqual(old);
  });

  test.each([
    ['an unknown member', { ...old, maxAmount: '1' }],
    ['a member that only looks right', { ...old, rules: [{ when: { upstreams: 'demo' }, verdict: 'allow' }] }],
    ['half a payment', { ...old, caps: [{ window: 'hour', unit: 'payments', amount: '0.5' }] }],
    ['payments of one call', { ...old, caps: [{ window: 'call', unit: 'payments', amount: '1' }] }],
    ['fractions of a millionth', { ...old, caps: [{ window: 'hour', unit: 'USD', amount: '0.0000001' }] }],
    ['a token by its symbol', { ...old, caps: [{ window: 'hour', unit: 'USDC', amount: '1' }] }],
    ['a negative limit', { ...old, caps: [{ window: 'hour', unit: 'USD', amount: '-1' }] }],
    ['an endless rolling window', { ...old, caps: [{ window: { rollingMinutes: 0 }, unit: 'USD', amount: '1' }] }],
    ['a time of day that is none', { ...old, rules: [{ when: { during: { from: '24:00' } }, verdict: 'deny' }] }],
    ['a zone that is none', { ...old, timeZone: 'Europe/Bärlin' }],
  ])('with %s is accepted', (_, document) => {
    expect(Policy.safeParse(document).success).toBe(false);
  });
});
