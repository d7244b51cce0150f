import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loosened } from '../../../../src/core/policy/loosened.ts';
import { outsideOf, ruleFor } from '../../../../src/core/policy/rules.ts';
import { covers } from '../../../../src/core/policy/scope.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import { defaultPolicy, type Cap, type Policy } from '../../../../src/shared/policy/policy.ts';
import { anyPolicy } from '../../../support/any-policy.ts';

const base = defaultPolicy('UTC');
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const USDC = 'eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** Payments that differ in everything that the small alphabets of the arbitrary know. */
const anySubject = fc.record({
  use: fc.record({
    client: fc.constantFrom('default', 'Claude Desktop', 'default (unverified)'),
    upstream: fc.constantFrom('weather', 'search', 'localhost:4021'),
    tool: fc.constantFrom('forecast', 'abc'),
    network: fc.constantFrom('eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
    payee: fc.constantFrom(ADDRESS, 'somebody', 'nobody'),
    payer: fc.constantFrom(ADDRESS, 'x'),
    asset: fc.constant(USDC),
    paid: fc.constant(USDC),
    units: fc.constantFrom(10_000n, 1_000_000n).map(baseUnits),
    usd: fc.constantFrom(10_000n, 1_000_000n).map(baseUnits),
    at: fc.integer({ min: 1_700_000_000_000, max: 1_700_600_000_000 }),
    session: fc.constant('s'),
  }),
  dialect: fc.constantFrom('x402-mcp', 'unheard of'),
  first: fc.record({ tool: fc.boolean(), payee: fc.boolean() }),
  changedTerms: fc.boolean(),
  sinceBought: fc.constantFrom(undefined, 0, 60_000),
});

const LOOSENESS = { deny: 0, ask: 1, allow: 2 } as const;

/** How loose a policy is with a payment, limits by time left out. */
function loosenessOf(policy: Policy, subject: Parameters<typeof ruleFor>[1]): number {
  if (policy.paused || outsideOf(policy, subject.use) !== '') return 0;
  return LOOSENESS[ruleFor(policy, subject)?.verdict ?? policy.otherwise];
}

describe('a change that lets more through is not said to', () => {
  test('whatever pause, lists, rules and their order were before and are now', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anySubject, (before, after, subject) => {
        if (loosenessOf(after, subject) > loosenessOf(before, subject)) expect(loosened(before, after)).not.toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('where rules of one policy only change places, or one of them goes', () => {
    fc.assert(
      fc.property(
        anyPolicy.chain((policy) => fc.tuple(fc.constant(policy), fc.shuffledSubarray(policy.rules, { minLength: Math.max(0, policy.rules.length - 1) }))),
        anySubject,
        ([before, rules], subject) => {
          const after = { ...before, rules };
          if (loosenessOf(after, subject) > loosenessOf(before, subject)) expect(loosened(before, after)).not.toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('where a limit rises, goes, or covers less than it did', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anySubject, (before, after, { use }) => {
        const held = ({ caps }: Policy, window: string, unit: string) => caps.filter((cap) => JSON.stringify(cap.window) === window && cap.unit === unit && covers(cap.over, use)).map(({ amount }) => Number(amount));
        const grew = before.caps.some((cap) => {
          const [window, unit] = [JSON.stringify(cap.window), cap.unit];
          const [was, is] = [held(before, window, unit), held(after, window, unit)];
          return was.length > 0 && Math.min(...is) > Math.min(...was);
        });
        if (grew) expect(loosened(before, after)).not.toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a change that lets nothing more through is said to', () => {
  test('where nothing changes, or only words do', () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        expect(loosened(policy, policy)).toEqual([]);
        expect(loosened(policy, { ...policy, rules: policy.rules.map((rule) => ({ ...rule, note: 'other words' })) })).toEqual([]);
      }),
    );
  });

  test.each<[string, Policy]>([
    ['a lower limit', { ...base, caps: [{ ...base.caps[0]!, amount: '0.5' }, base.caps[1]!] }],
    ['one more limit', { ...base, caps: [...base.caps, { over: { upstream: 'weather' }, window: 'day', unit: 'USD', amount: '1' }] }],
    ['a pause', { ...base, paused: true }],
    ['a list of servers', { ...base, only: { upstreams: ['weather'] } }],
    ['a rule that denies', { ...base, rules: [{ when: { upstream: 'weather' }, verdict: 'deny' }] }],
    ['the same limit over more', { ...base, caps: [base.caps[1]!, base.caps[0]!] }],
  ])('for %s', (_what, after) => {
    expect(loosened(base, after)).toEqual([]);
  });

  test('for a limit that is written anew with another count of zeros', () => {
    const caps: Cap[] = [{ ...base.caps[0]!, amount: '1' }, { ...base.caps[1]!, amount: '10.000000' }];
    expect(loosened(base, { ...base, caps })).toEqual([]);
  });
});

describe('how it is paid', () => {
  const max = (amount: string) => [{ account: 'a', max: { amount, unit: 'USD' as const } }, { account: 'b' }];
  const words = (before: Policy['paying'], after: Policy['paying']) => loosened({ ...base, paying: before }, { ...base, paying: after });

  test.each<[string, Policy['paying'], Policy['paying'], RegExp]>([
    ['a higher maximum of an account', { accounts: max('1') }, { accounts: max('1.01') }, /^One payment may take 1.01 USD/],
    ['no maximum of an account', { accounts: max('1') }, { accounts: [{ account: 'a' }, { account: 'b' }] }, /any amount from account a/],
    ['one more account', { accounts: max('1') }, { accounts: [...max('1'), { account: 'c' }] }, /^Account c may pay for itself/],
    ['another order of accounts', { accounts: max('1') }, { accounts: max('1').toReversed() }, /pay first/],
    ['another order of tokens', { tokens: [USDC, 'stripe:card/token:usd'] }, { tokens: ['stripe:card/token:usd', USDC] }, /pay first/],
    ['an open host', {}, { openHosts: ['localhost:1'] }, /localhost:1/],
  ])('%s is not told', (_what, before, after, said) => {
    expect(words(before, after)[0]).toMatch(said);
  });

  test('a lower maximum, a host that is closed or a token that is trusted no more is told as looser', () => {
    const trusted = [{ asset: USDC, symbol: 'X', decimals: 6 }];
    expect(words({ accounts: max('1.00'), openHosts: ['a'], trusted }, { accounts: max('0.5') })).toEqual([]);
  });
});

test('I7: a lower maximum makes another account pay, which the limit of the first does not reach, and nothing says so', () => {
  const before: Policy = { ...base, caps: [{ over: { account: 'a' }, window: 'day', unit: 'USD', amount: '5' }], paying: { accounts: [{ account: 'a', max: { amount: '1', unit: 'USD' } }] } };
  const lower = (amount: string): Policy => ({ ...before, paying: { accounts: [{ account: 'a', max: { amount, unit: 'USD' } }] } });
  expect(loosened(before, lower('0'))).toEqual(['Another account or token may pay first, for which other limits and rules hold.']);
  expect(loosened(before, lower('1'))).toEqual([]);
  expect(loosened({ ...before, paying: { accounts: [{ account: 'a' }] } }, lower('1'))).toHaveLength(1);
});

test('I7: a denial of a client is overtaken by a rule for whoever claims its name, and nothing says so', () => {
  const rules: Policy['rules'] = [{ when: { client: 'claude' }, verdict: 'deny' }, { when: { client: 'claude (unverified)' }, verdict: 'ask' }];
  expect(loosened({ ...base, rules }, { ...base, rules: rules.toReversed() })).toHaveLength(1);
});

test('rules by time hold at other moments and nothing says so', () => {
  const before: Policy = { ...base, caps: [], rules: [{ when: { during: { from: '22:00', to: '06:00' } }, verdict: 'deny' }], otherwise: 'allow' };
  expect(loosened(before, { ...before, timeZone: 'Asia/Tokyo' })).toEqual(['Times of day are those of Asia/Tokyo in place of UTC, so that rules by time hold at other moments.']);
});

test('the owner is told what is looser in words that name it', () => {
  const before: Policy = { ...base, paused: true, only: { upstreams: ['weather'] }, rules: [{ when: { upstream: 'weather' }, verdict: 'deny', note: 'never' }, { when: {}, verdict: 'ask' }] };
  const after: Policy = { ...base, only: { upstreams: ['weather', 'search'] }, caps: [{ ...base.caps[1]!, amount: '20' }], rules: [{ when: {}, verdict: 'ask' }, { when: { upstream: 'search' }, verdict: 'allow' }], otherwise: 'allow' };
  expect(loosened(before, after)).toEqual([
    'Payments go on: they are paused now.',
    'More servers may be paid: search.',
    'The limit of 1.00 USD (per call) is gone.',
    'The limit of 10.00 USD (per day) rises to 20.',
    'A payment that no rule decides is paid without asking. Now it is asked about.',
    'New or changed: Rule: allow server search.',
    'No longer there: Rule: deny server weather (never).',
  ]);
});
