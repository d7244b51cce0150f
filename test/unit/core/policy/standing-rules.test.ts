import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assess } from '../../../../src/core/policy/assess.ts';
import { BudgetSums, type HeldUse } from '../../../../src/core/policy/budget-sums.ts';
import type { Pin } from '../../../../src/core/policy/pins.ts';
import { withServerBlocked, withToolAllowed } from '../../../../src/core/policy/standing-rules.ts';
import { unverifiedName } from '../../../../src/core/policy/unverified.ts';
import type { Terms } from '../../../../src/core/payments/terms.ts';
import { ASSETS, type Asset } from '../../../../src/core/registry/assets.ts';
import { assetId } from '../../../../src/shared/money/asset-id.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import { defaultPolicy, Policy, type Cap, type Rule } from '../../../../src/shared/policy/policy.ts';
import { PAYEE } from '../../../support/payment-world.ts';

const usdcOn = (network: string): Asset => ASSETS.find((asset) => asset.network === network && asset.symbol === 'USDC')!;
const HERE = usdcOn('eip155:84532');
const THERE = usdcOn('eip155:8453');
const STRANGER = '0x000000000000000000000000000000000000bEEF';
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ZONE = 'Europe/Berlin';
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 15, 12, 30);

interface Made {
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly payee: string;
  readonly asset: Asset;
  readonly dialect: string;
  readonly amount: bigint;
  readonly at: number;
  readonly pin: Pin | undefined;
  readonly everPaidPayee: boolean;
}

const shown: Made = { client: 'claude', upstream: 'weather', tool: 'forecast', payee: PAYEE, asset: HERE, dialect: 'x402-mcp', amount: 10_000n, at: START, pin: undefined, everPaidPayee: false };

const termsOf = ({ client, upstream, tool, payee, asset, dialect, amount }: Made): Terms => ({
  client, upstream, tool, payee, dialect, argumentsHash: '', scheme: 'exact', network: asset.network, asset: asset.address, amount: baseUnits(amount), payer: PAYER, flow: 'authorize',
});

const useOf = (made: Made): HeldUse => ({
  client: made.client, upstream: made.upstream, tool: made.tool, network: made.asset.network, payee: made.payee, payer: PAYER,
  asset: assetId(made.asset), paid: assetId(made.asset), units: baseUnits(made.amount), usd: baseUnits(made.amount), at: made.at, session: 's',
});

const judge = (policy: Policy, made: Made, uses: readonly HeldUse[]) => {
  const sums = new BudgetSums(policy, { since: (at) => uses.filter((use) => use.at >= at), ofSession: () => uses }, 0);
  return assess({
    policy, terms: termsOf(made), asset: made.asset, costs: [], prices: { usdOf: () => undefined }, session: 's', now: made.at,
    used: (cap, when) => sums.used(cap, when), pin: made.pin, everPaidPayee: made.everPaidPayee, origins: [], mustAsk: '',
  });
};

const allow = (policy: Policy, perDay = '1', made: Made = shown) => withToolAllowed({ policy, use: useOf(made), dialect: made.dialect, perDay });
const policyOf = (change: Partial<Policy>): Policy => ({ ...defaultPolicy(ZONE), caps: [], ...change });
const ask = (when: Rule['when']): Rule => ({ when, verdict: 'ask' });
const again = (change: Partial<Made> = {}): Made => ({ ...shown, everPaidPayee: true, pin: { payee: PAYEE, network: HERE.network, asset: HERE.address, amount: baseUnits(10_000n) }, ...change });

const oneOf = <T,>(...values: readonly T[]) => fc.constantFrom(...values);
const maybe = <T,>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
const defined = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;

const anyScope = fc.record({
  upstream: maybe(oneOf('weather', 'search')), tool: maybe(oneOf('forecast', 'fore*', 'f?recast', 'joke', '*')), payee: maybe(oneOf(PAYEE, PAYEE.toLowerCase(), STRANGER)),
  client: maybe(oneOf('claude', 'cursor')), asset: maybe(oneOf(assetId(HERE), assetId(THERE))), network: maybe(oneOf<string>(HERE.network, THERE.network)), account: maybe(oneOf(PAYER)),
}).map(defined);
const anyRule: fc.Arbitrary<Rule> = fc.tuple(
  anyScope,
  fc.record({
    dialect: maybe(oneOf('x402-mcp', 'mpp')),
    amount: maybe(oneOf({ atLeast: '0.01', unit: 'USD' as const }, { atMost: '0.02', unit: assetId(HERE) }, { atLeast: '0.005', atMost: '0.5', unit: 'USD' as const })),
    during: maybe(oneOf({ from: '09:00', to: '17:00' }, { days: ['thu' as const] }, { from: '22:00', to: '06:00' })),
    firstPayment: maybe(oneOf('tool' as const, 'payee' as const)),
    changedTerms: maybe(fc.boolean()),
    repeatWithinMinutes: maybe(oneOf(1, 60)),
  }).map(defined),
  oneOf('allow' as const, 'ask' as const, 'ask' as const, 'deny' as const),
).map(([scope, more, verdict]) => ({ when: { ...scope, ...more }, verdict }));
const anyCap: fc.Arbitrary<Cap> = fc.tuple(anyScope, oneOf<Cap['window']>('call', 'day', 'week', { rollingMinutes: 60 }), oneOf<[Cap['unit'], string]>(['USD', '0.5'], [assetId(HERE), '0.04'], ['payments', '9']))
  .filter(([, window, [unit]]) => window !== 'call' || unit !== 'payments')
  .map(([over, window, [unit, amount]]) => ({ over, window, unit, amount }));
const anyDayCap: fc.Arbitrary<Cap> = oneOf('0.03', '0.05', '2').map((amount) => ({ over: { upstream: 'weather', tool: 'forecast' }, window: 'day', unit: assetId(HERE), amount }));
const anyPolicy = fc.record({ rules: fc.array(anyRule, { maxLength: 5 }), caps: fc.array(fc.oneof(anyCap, anyDayCap), { maxLength: 3 }), otherwise: oneOf('ask' as const, 'ask' as const, 'allow' as const, 'deny' as const) }).map(policyOf);

const pinned = (made: Pick<Made, 'payee' | 'asset' | 'amount'>): Pin => ({ payee: made.payee, network: made.asset.network, asset: made.asset.address, amount: baseUnits(made.amount) });
/** Mostly the payment that was shown, made again, with one thing or another different. */
const anyPayment: fc.Arbitrary<Made> = fc
  .record({
    client: oneOf('claude', 'claude', 'claude', 'cursor', unverifiedName('claude')), upstream: oneOf('weather', 'weather', 'weather', 'search'), tool: oneOf('forecast', 'forecast', 'forecast', 'joke', 'forecasts'),
    payee: oneOf(PAYEE, PAYEE, PAYEE, STRANGER), asset: oneOf(HERE, HERE, HERE, THERE), dialect: oneOf('x402-mcp', 'x402-mcp', 'mpp'), amount: oneOf(10_000n, 10_000n, 20_000n, 1n, 900_000n),
    after: fc.integer({ min: 0, max: 3 * DAY_MS }), everPaidPayee: fc.boolean(), pin: oneOf('none', 'same', 'same', 'other price', 'other payee'),
  })
  .map(({ pin, after, ...made }) => ({
    ...made,
    at: START + after,
    pin: pin === 'none' ? undefined : pinned({ ...made, ...(pin === 'other price' && { amount: made.amount + 1n }), ...(pin === 'other payee' && { payee: '0x0000000000000000000000000000000000000123' }) }),
  }));

describe('I3, I7: a tool that is allowed up to an amount a day', () => {
  test('lets more than that through in a day, anything of another tool, server, payee, client or token, or what was denied or limited before', () => {
    let made = 0;
    let allowed = 0;
    fc.assert(
      fc.property(anyPolicy, oneOf('0.01', '0.03', '0.05', '1'), fc.array(anyPayment, { maxLength: 14 }), (before, perDay, stream) => {
        const proposal = (() => {
          try {
            return allow(before, perDay);
          } catch (error) {
            expect((error as { code: string }).code).toBe('INPUT_INVALID');
            return undefined;
          }
        })();
        if (!proposal) return;
        made++;
        const after = Policy.parse(proposal.policy);
        const uses: HeldUse[] = [];
        const spent = new Map<string, bigint>();
        for (const payment of stream.toSorted((a, b) => a.at - b.at)) {
          const was = judge(before, payment, uses).verdict;
          const { verdict } = judge(after, payment, uses);
          if (was === 'deny') expect(verdict).toBe('deny');
          if (verdict === 'allow' && was !== 'allow') {
            allowed++;
            expect({ ...payment, asset: assetId(payment.asset) }).toMatchObject({ client: 'claude', upstream: 'weather', tool: 'forecast', payee: PAYEE, asset: assetId(HERE) });
            if (payment.pin) expect(payment.pin).toEqual(pinned(payment));
            expect(payment.amount <= shown.amount).toBe(true);
          }
          if (verdict !== 'allow') continue;
          uses.push(useOf(payment));
          if (payment.upstream !== 'weather' || payment.tool !== 'forecast' || payment.asset !== HERE) continue;
          const day = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(payment.at);
          spent.set(day, (spent.get(day) ?? 0n) + payment.amount);
          expect(spent.get(day)! <= proposal.limit).toBe(true);
        }
      }),
      { numRuns: 1_500 },
    );
    // The property would hold of a rule that is never made, and of one that allows nothing.
    expect(made).toBeGreaterThan(100);
    expect(allowed).toBeGreaterThan(50);
  });

  test('does not go without asking the next time, or asks only then', () => {
    const { policy } = allow(policyOf({ rules: [ask({ firstPayment: 'payee' })], otherwise: 'ask' }));
    expect(judge(policy, again(), []).verdict).toBe('allow');
    expect(judge(policy, again(), []).rule).toBe(`Rule: allow server weather, tool forecast, payee ${PAYEE}, client claude, token ${assetId(HERE)}, amount up to 0.01 of it (up to 1 USDC a day)`);
  });

  test('goes on without asking when its price, payee, token or client’s proof changed, or where a server brought it up', () => {
    const { policy } = allow(policyOf({}));
    expect(judge(policy, again({ amount: 20_000n }), []).verdict).toBe('ask');
    expect(judge(policy, again({ payee: STRANGER }), []).verdict).toBe('ask');
    expect(judge(policy, again({ asset: THERE }), []).verdict).toBe('ask');
    expect(judge(policy, again({ client: unverifiedName('claude') }), []).verdict).toBe('ask');
    const origins = [{ what: 'payee' as const, value: PAYEE, where: 'a result of tool "search" of server "web"' }];
    const terms = termsOf(again());
    expect(assess({ policy, terms, asset: HERE, costs: [], prices: { usdOf: () => undefined }, session: 's', now: START, used: () => baseUnits(0n), pin: undefined, everPaidPayee: true, origins, mustAsk: '' }).verdict).toBe('ask');
  });

  test('goes on without asking at any price while the first payment has not settled, although it is said to ask', () => {
    const dearer = again({ amount: 10_001n, pin: undefined });
    for (const rules of [[], [ask({ amount: { atLeast: '0.001', atMost: '9', unit: 'USD' } })], [ask({ amount: { atLeast: '0.001', unit: assetId(HERE) } })]]) {
      const { policy } = allow(policyOf({ rules }));
      expect([judge(policy, dearer, []).verdict, judge(policy, again({ pin: undefined }), []).verdict]).toEqual(['ask', 'allow']);
    }
  });

  test('passes a rule over that stood before the one that asked, or drops what that one looked at', () => {
    const night: Rule = { when: { during: { from: '22:00', to: '06:00' } }, verdict: 'deny' };
    const large = ask({ upstream: 'weather', amount: { atMost: '0.5', unit: 'USD' }, during: { days: ['thu'] } });
    const late: Rule = { when: { upstream: 'weather' }, verdict: 'deny' };
    const { policy, place, rule } = allow(policyOf({ rules: [night, large, late] }));
    expect([place, policy.rules[0], policy.rules[2], policy.rules[3]]).toEqual([1, night, large, late]);
    expect(rule.when).toMatchObject({ amount: { atMost: '0.01', unit: 'USD' }, during: { days: ['thu'] } });
  });

  test('is made for a tool whose name stands for others, cannot be shown, or that is asked about for another reason', () => {
    const refuse = (made: Partial<Made>, change: Partial<Policy> = {}) => expect(() => allow(policyOf(change), '1', { ...shown, ...made })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    for (const tool of ['*', 'fore*', 'f?', '', 'x'.repeat(300), 'fore\u202ecast', 'fore\u200bcast', 'a\nb']) refuse({ tool });
    for (const client of ['cl\u202eaude', '']) refuse({ client });
    refuse({ upstream: 'bursar' });
    refuse({}, { otherwise: 'allow' });
    refuse({}, { rules: [{ when: { upstream: 'weather' }, verdict: 'allow' }] });
    refuse({}, { rules: [{ when: { firstPayment: 'payee' }, verdict: 'ask' }, { when: {}, verdict: 'deny' }] });
    expect(() => allow(policyOf({}), '0')).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
    expect(() => allow(policyOf({}), '0.0000001')).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
  });

  test('raises a limit of the same kind that is there already, or leaves two', () => {
    const cap: Cap = { over: { upstream: 'weather', tool: 'forecast' }, window: 'day', unit: assetId(HERE), amount: '2' };
    const other: Cap = { over: {}, window: 'day', unit: 'USD', amount: '10' };
    const narrower = allow(policyOf({ caps: [cap, other] }), '1');
    expect(narrower.policy.caps).toEqual([{ ...cap, amount: '1' }, other]);
    expect(narrower.replaced).toEqual(cap);
    expect(allow(policyOf({ caps: [other, cap] }), '2.00').policy.caps).toEqual([other, cap]);
    expect(() => allow(policyOf({ caps: [cap] }), '3')).toThrow(/limit of 2.00 USDC a day holds/);
  });
});

describe('a server that is blocked', () => {
  test('is paid all the same, through whatever stands in the policy, or any other server is not', () => {
    fc.assert(
      fc.property(anyPolicy, anyPayment, (before, payment) => {
        const { policy, place } = withServerBlocked(before, 'weather');
        const { verdict } = judge(Policy.parse(policy), payment, []);
        expect(verdict).toBe(payment.upstream === 'weather' ? 'deny' : judge(before, payment, []).verdict);
        expect(policy.rules[place]).toEqual({ when: { upstream: 'weather' }, verdict: 'deny', note: 'blocked' });
      }),
      { numRuns: 500 },
    );
  });

  test('is Bursar itself, for which there would be no way to send any more', () => {
    expect(() => withServerBlocked(policyOf({}), 'bursar')).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});
