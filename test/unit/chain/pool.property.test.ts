import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Log, Observation } from '../../../src/core/ports.ts';
import type { Endpoint } from '../../../src/main/adapters/chain/endpoint.ts';
import { createPool } from '../../../src/main/adapters/chain/pool.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { createWorld } from '../../support/payment-world.ts';

/** What one RPC server says of a payment. */
type Saying = 'dead' | 'open' | 'settled' | 'final' | 'another' | 'fails';
interface Server {
  readonly hostname: string;
  readonly saying: Saying;
}

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const SAYINGS: Readonly<Record<Exclude<Saying, 'fails'>, Observation>> = {
  dead: { state: 'dead', why: 'It expired unused.' },
  open: { state: 'open', why: 'Not seen yet.' },
  settled: { state: 'settled', transaction: '0xone', final: false },
  final: { state: 'settled', transaction: '0xone', final: true },
  another: { state: 'settled', transaction: '0xtwo', final: true },
};

/** The servers of a real network, in the owner's order. */
function realNetwork(servers: readonly Server[]) {
  const endpoints = servers.map(({ hostname }, index): Endpoint => ({ host: `${hostname}:${index}`, hostname, ask: () => Promise.reject(new Error('the look is scripted')), askAll: () => Promise.reject(new Error('the look is scripted')), close() {} }));
  const pool = createPool({ network: 'eip155:8453', endpoints, witnesses: 2, log });
  return {
    observe: () =>
      pool.observe(async (endpoint) => {
        const { saying } = servers[endpoints.indexOf(endpoint)]!;
        if (saying === 'fails') throw new BursarError('CHAIN_UNREACHABLE', 'It is silent.');
        return SAYINGS[saying];
      }),
  };
}

const server: fc.Arbitrary<Server> = fc.record({
  hostname: fc.constantFrom('one.example', 'two.example', 'three.example'),
  saying: fc.constantFrom<Saying>('dead', 'dead', 'open', 'settled', 'final', 'another', 'fails'),
});

/** The hosts that say one thing. */
const hosts = (servers: readonly Server[], saying: Saying): number => new Set(servers.filter((one) => one.saying === saying).map(({ hostname }) => hostname)).size;

test('I5: real money called dead, or a settlement called final, without two independent servers that say so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(server, { minLength: 1, maxLength: 5 }), async (servers) => {
      const seen = await realNetwork(servers).observe();
      if (seen.state === 'dead') expect(hosts(servers, 'dead')).toBeGreaterThanOrEqual(2);
      if (seen.state === 'settled' && seen.final) {
        const same = seen.transaction === '0xone' ? 'final' : 'another';
        expect(hosts(servers, same)).toBeGreaterThanOrEqual(Math.min(2, new Set(servers.map(({ hostname }) => hostname)).size));
      }
    }),
    { numRuns: 500 },
  );
});

test.each<[string, readonly Server[]]>([
  ['one says dead and one says open', [{ hostname: 'one.example', saying: 'dead' }, { hostname: 'two.example', saying: 'open' }]],
  ['one says open and one says dead', [{ hostname: 'one.example', saying: 'open' }, { hostname: 'two.example', saying: 'dead' }]],
  ['one says dead and one is silent', [{ hostname: 'one.example', saying: 'dead' }, { hostname: 'two.example', saying: 'fails' }]],
  ['both addresses are one operator’s', [{ hostname: 'one.example', saying: 'dead' }, { hostname: 'one.example', saying: 'dead' }]],
])('I5: %s: the budget is freed, or the call is paid anew', async (_what, servers) => {
  const network = realNetwork(servers);
  const world = createWorld({ policy: { ...defaultPolicy('Europe/Berlin'), rules: [], otherwise: 'allow' }, rail: { observe: network.observe } });
  const call = () => world.call([() => Promise.reject(new Error('the connection broke'))]).outcome;
  await call();
  await world.clock.advance(30 * 60_000);
  expect(world.row()).toMatchObject({ money: 'outstanding' });
  expect(world.spent()).toBe(10_000n);
  expect(await call()).toMatchObject({ error: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
  expect(world.state.signed).toHaveLength(1);
});
