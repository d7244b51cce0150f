import * as fc from 'fast-check';
import { WEEKDAYS, type AmountRange, type Cap, type During, type Policy, type Rule, type RuleMatch, type Scope } from '../../src/shared/policy/policy.ts';

const TOKENS = ['eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'stripe:card/token:usd'] as const;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
/** Members that are undefined are no members: JSON has none. */
const present = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

export const anyServer = fc.constantFrom('weather', 'search', 'api.example.com', 'localhost:4021');
const usd = fc.constantFrom('0', '0.01', '0.10', '1', '1.00', '2.5', '10', '0.000001', '99999');
const whole = fc.constantFrom('0', '1', '5', '100');
const time = fc.constantFrom('00:00', '09:30', '17:00', '23:59');

const scopeMembers = {
  upstream: optional(anyServer),
  tool: optional(fc.constantFrom('forecast', 'fore*', '*', 'a?c', ' odd\u202e name ')),
  payee: optional(fc.constantFrom(ADDRESS, ADDRESS.toLowerCase(), 'somebody')),
  client: optional(fc.constantFrom('default', 'Claude Desktop', 'default (unverified)')),
  account: optional(fc.constantFrom(ADDRESS)),
  asset: optional(fc.constantFrom(...TOKENS)),
  network: optional(fc.constantFrom('eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')),
};

const anyScope: fc.Arbitrary<Scope> = fc.record(scopeMembers).map((value) => present(value) as Scope);
const anyAmount: fc.Arbitrary<AmountRange> = fc.record({ atLeast: optional(usd), atMost: optional(usd), unit: fc.constantFrom('USD' as const, ...TOKENS) }).map((value) => present(value) as AmountRange);
const anyDuring: fc.Arbitrary<During> = fc
  .record({ days: optional(fc.array(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 7 })), from: optional(time), to: optional(time) })
  .map((value) => present(value) as During);

const anyMatch: fc.Arbitrary<RuleMatch> = fc
  .record({
    ...scopeMembers,
    dialect: optional(fc.constantFrom('x402-mcp', 'order', 'unheard of')),
    amount: optional(anyAmount),
    during: optional(anyDuring),
    firstPayment: optional(fc.constantFrom('tool' as const, 'payee' as const)),
    changedTerms: optional(fc.boolean()),
    repeatWithinMinutes: optional(fc.constantFrom(1, 60)),
  })
  .map((value) => present(value) as RuleMatch);

export const anyRule: fc.Arbitrary<Rule> = fc.record({ when: anyMatch, verdict: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const), note: optional(fc.constantFrom('', 'large', ' x ')) }).map((value) => present(value) as Rule);

const timeWindow = fc.oneof(fc.constantFrom('session' as const, 'hour' as const, 'day' as const, 'week' as const, 'month' as const), fc.integer({ min: 1, max: 44_640 }).map((rollingMinutes) => ({ rollingMinutes })));
const anyCap: fc.Arbitrary<Cap> = fc.oneof(
  fc.record({ over: anyScope, window: timeWindow, unit: fc.constant('payments' as const), amount: whole }),
  fc.record({ over: anyScope, window: fc.oneof(timeWindow, fc.constant('call' as const)), unit: fc.constantFrom('USD' as const, ...TOKENS), amount: usd }),
);

/** Any policy of those that the schema takes, with every member that it has, and with small alphabets so that limits and rules meet. */
export const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    version: fc.constant(1 as const),
    timeZone: fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu', 'UTC'),
    paused: optional(fc.boolean()),
    only: optional(fc.record({ upstreams: optional(fc.array(anyServer, { maxLength: 3 })), payees: optional(fc.array(fc.constantFrom(ADDRESS, 'somebody'), { maxLength: 2 })) }).map(present)),
    caps: fc.array(anyCap, { maxLength: 5 }),
    rules: fc.array(anyRule, { maxLength: 6 }),
    otherwise: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    paying: optional(
      fc
        .record({
          accounts: optional(fc.constant([{ account: ADDRESS, max: { amount: '2.00', unit: 'USD' as const } }, { account: 'other' }])),
          tokens: optional(fc.constant([TOKENS[0]])),
          trusted: optional(fc.constant([{ asset: 'eip155:8453/erc20:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', symbol: 'PLAY', decimals: 18, eip712: { name: 'Play', version: '1' } }])),
          openHosts: optional(fc.constant(['localhost:4021'])),
        })
        .map(present),
    ),
  })
  // Not parsed: looking up time zones by the thousand takes seconds.
  .map((value) => present(value) as Policy);
