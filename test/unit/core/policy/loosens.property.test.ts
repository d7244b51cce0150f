import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assess } from '../../../../src/core/policy/assess.ts';
import { BudgetSums, type HeldUse } from '../../../../src/core/policy/budget-sums.ts';
import { loosens } from '../../../../src/core/policy/loosens.ts';
import { ASSETS, type Asset } from '../../../../src/core/registry/assets.ts';
import { assetId } from '../../../../src/shared/money/asset-id.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import type { Policy, Verdict } from '../../../../src/shared/policy/policy.ts';
import { anyPolicy, anyRule } from '../../../support/any-policy.ts';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const onBase = (symbol: string): Asset => ASSETS.find((asset) => asset.network === 'eip155:8453' && asset.symbol === symbol)!;
/** One that is pegged to the dollar, and one without a price. */
const [USDC, EURC] = [onBase('USDC'), onBase('EURC')];
const HOUR_MS = 3_600_000;

/** What was spent before, and a payment: of everything that rules, lists and limits look at, in small alphabets. */
const anyPayment = fc.record({
  client: fc.constantFrom('default', 'Claude Desktop', 'default (unverified)'),
  upstream: fc.constantFrom('weather', 'search', 'localhost:4021', 'bursar'),
  tool: fc.constantFrom('forecast', 'abc', 'send_to_contact'),
  payee: fc.constantFrom(ADDRESS, ADDRESS.toLowerCase(), 'somebody', 'nobody'),
  payer: fc.constantFrom(ADDRESS, 'x'),
  asset: fc.constantFrom(USDC, EURC),
  units: fc.constantFrom(1n, 10_000n, 100_000n, 1_000_000n, 2_500_000n),
  at: fc.integer({ min: 1_700_000_000_000, max: 1_700_600_000_000 }),
  dialect: fc.constantFrom('x402-mcp', 'order', 'unheard of'),
  pinned: fc.constantFrom('not', 'at this price', 'at another'),
  everPaidPayee: fc.boolean(),
  spent: fc.array(fc.record({ upstream: fc.constantFrom('weather', 'search'), tool: fc.constantFrom('forecast', 'abc'), units: fc.constantFrom(10_000n, 900_000n), ago: fc.integer({ min: 0, max: 40 * HOUR_MS }) }), { maxLength: 4 }),
});
type Payment = typeof anyPayment extends fc.Arbitrary<infer T> ? T : never;

function verdictOf(policy: Policy, { client, upstream, tool, payee, payer, asset, units, at, dialect, pinned, everPaidPayee, spent }: Payment): Verdict {
  const uses = spent.map(
    (use): HeldUse => ({
      client, payee, payer, network: asset.network, upstream: use.upstream, tool: use.tool,
      asset: assetId(asset), paid: assetId(asset), units: baseUnits(use.units), ...(asset === USDC && { usd: baseUnits(use.units) }), at: at - use.ago, session: 's',
    }),
  );
  const sums = new BudgetSums(policy, { since: (from) => uses.filter((use) => use.at >= from), ofSession: () => uses }, 0);
  return assess({
    policy, asset, everPaidPayee,
    terms: { client, upstream, tool, payee, payer, dialect, argumentsHash: '', scheme: 'exact', network: asset.network, asset: asset.address, amount: baseUnits(units), flow: 'authorize' },
    costs: [], prices: { usdOf: () => undefined }, session: 's', now: at,
    used: (cap, when) => sums.used(cap, when),
    pin: pinned === 'not' ? undefined : { payee, network: asset.network, asset: asset.address, amount: baseUnits(pinned === 'at another' ? 5n : units) },
    origins: [], mustAsk: '',
  }).verdict;
}

const LOOSENESS: Readonly<Record<Verdict, number>> = { deny: 0, ask: 1, allow: 2 };

/** A policy, and the same with one thing changed: the others are as they were, so that what was held back is likely to show. */
const anyChange = fc.tuple(anyPolicy, anyPolicy, anyRule, fc.nat(), fc.nat(), fc.nat({ max: 9 })).map(([policy, other, rule, i, j, kind]): readonly [Policy, Policy] => {
  const { paused: _paused, only: _only, ...open } = policy;
  const before: Policy = { ...open, caps: policy.caps.slice(0, 2) };
  const { rules, caps } = before;
  const [at, cap, moved] = [i % Math.max(1, rules.length), caps[i % Math.max(1, caps.length)], rules[i % Math.max(1, rules.length)]];
  const changes: readonly (() => Partial<Policy>)[] = [
    () => ({ rules: rules.toSpliced(at, 1) }),
    () => ({ rules: moved ? rules.toSpliced(at, 1).toSpliced(j % rules.length, 0, moved) : rules }),
    () => ({ rules: rules.toSpliced(j % (rules.length + 1), 0, rule) }),
    () => ({ rules: rules.toSpliced(at, 1, rule) }),
    () => ({ rules: moved ? rules.with(at, { ...moved, verdict: rule.verdict }) : rules }),
    () => ({ caps: cap ? caps.map((one) => (one === cap ? { ...cap, over: other.caps[0]?.over ?? {} } : one)) : caps }),
    () => ({ caps: other.caps }),
    () => ({ timeZone: other.timeZone }),
    () => ({ otherwise: other.otherwise }),
    () => (other.paying ? { paying: other.paying } : {}),
  ];
  return [before, { ...before, ...changes[kind]?.() }];
});

test('I7: some change lets a payment through that was held back, and is not taken for loosening', () => {
  let looser = 0;
  fc.assert(
    fc.property(anyChange, fc.array(anyPayment, { minLength: 4, maxLength: 4 }), ([before, after], payments) => {
      for (const payment of payments) {
        if (LOOSENESS[verdictOf(after, payment)] <= LOOSENESS[verdictOf(before, payment)]) continue;
        looser++;
        expect(loosens(before, after, true)).toBe(true);
      }
    }),
    { numRuns: 1_500 },
  );
  // The property would hold of changes that never let anything through.
  expect(looser).toBeGreaterThan(30);
}, 30_000);
