import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { Account } from '../../../src/core/ports.ts';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import type { NetworkId } from '../../../src/core/registry/networks.ts';
import { createBalances } from '../../../src/main/adapters/balances.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createLowBalance } from '../../../src/main/wallet/low-balance.ts';
import { evmAccount, random } from '../../unit/rails/fixtures.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { chainsOf } from '../rails/shop.ts';

/** Balances over RPC servers of the test: what is asked, in how many requests, and what is shown where one is silent. */

interface Question {
  readonly id: number;
  readonly method: string;
}
const open: Server[] = [];
let chains: Chains | undefined;

afterEach(() => {
  chains?.close();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server of Base Sepolia or Polygon that answers every question with `units`, unless `how` says otherwise. */
async function rpc(chainId: number, units: bigint, how: { takesBatches?: boolean; silent?: () => boolean; refuses?: string; units?: bigint; held?: () => Promise<void> | undefined } = {}) {
  const requests: number[] = [];
  const answer = ({ id, method }: Question) => {
    if (method === how.refuses) return { jsonrpc: '2.0', id, error: { code: -32000, message: 'execution reverted' } };
    const owned = how.units ?? units;
    const result = method === 'eth_chainId' ? `0x${chainId.toString(16)}` : method === 'eth_call' ? `0x${owned.toString(16).padStart(64, '0')}` : `0x${owned.toString(16)}`;
    return { jsonrpc: '2.0', id, result };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = JSON.parse(await text(request)) as Question | Question[];
    const first = Array.isArray(asked) ? asked[0] : asked;
    if (first?.method !== 'eth_chainId') requests.push(Array.isArray(asked) ? asked.length : 1);
    if (first?.method !== 'eth_chainId') await how.held?.();
    if (how.silent?.() && first?.method !== 'eth_chainId') return;
    if (Array.isArray(asked) && how.takesBatches === false) response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } }));
    else response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer).toReversed() : answer(asked)));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${bound.port}`, requests };
}

const accounts: readonly Account[] = [evmAccount(random(32)), { ...evmAccount(random(32)), id: 'a2' }];
function balancesOf(networks: Partial<Record<NetworkId, { readonly rpcUrls: readonly string[] }>>, late = () => {}) {
  const opened = chainsOf(networks);
  chains = opened;
  return createBalances({ chains: () => opened, assets: REGISTERED, accounts: () => accounts, clock, late });
}

test('each token and account is a request of its own; or coins are missing', async () => {
  const server = await rpc(84532, 5_000_000n);
  const readings = await balancesOf({ 'eip155:84532': { rpcUrls: [server.url] } }).read();
  expect(server.requests).toEqual([readings.length]);
  expect(new Set(readings.map(({ asset }) => asset.symbol))).toEqual(new Set([...REGISTERED.list.filter(({ network }) => network === 'eip155:84532').map(({ symbol }) => symbol), 'ETH']));
  for (const reading of readings) expect(reading).toMatchObject({ units: 5_000_000n, stale: false });
});

test('a server that takes no batches shows nothing; or one token that it refuses hides the others', async () => {
  const server = await rpc(84532, 7n, { takesBatches: false, refuses: 'eth_call' });
  const balances = balancesOf({ 'eip155:84532': { rpcUrls: [server.url] } });
  const readings = await balances.read();
  for (const { asset, units, stale } of readings) expect([asset.symbol, units, stale]).toEqual([asset.symbol, ...(asset.symbol === 'ETH' ? [7n, false] : [undefined, true])]);
});

test('a silent network holds the others back, the next server is never asked, or an old figure counts as new', async () => {
  let silent = false;
  const [first, slow, second] = await Promise.all([rpc(84532, 1n), rpc(137, 2n, { silent: () => silent }), rpc(137, 3n)]);
  let lateNews = 0;
  const balances = balancesOf({ 'eip155:84532': { rpcUrls: [first.url] }, 'eip155:137': { rpcUrls: [slow.url, second.url] } }, () => lateNews++);
  const figures = async () => new Map((await balances.read()).map(({ asset, units, stale }) => [asset.network, { units, stale }]));
  expect((await figures()).get('eip155:137')).toEqual({ units: 2n, stale: false });
  silent = true;
  balances.expire();
  const shown = await figures();
  expect(shown.get('eip155:84532')).toEqual({ units: 1n, stale: false });
  expect(shown.get('eip155:137')).toEqual({ units: 2n, stale: true });
  // The silent one has two seconds; then the next one is asked, and the page is told.
  await expect.poll(() => lateNews, { timeout: 10_000 }).toBe(1);
  expect((await figures()).get('eip155:137')).toEqual({ units: 3n, stale: false });
});

test('money that moved is shown as it was, or figures that are seconds old are asked again', async () => {
  const server = await rpc(84532, 5n);
  const balances = balancesOf({ 'eip155:84532': { rpcUrls: [server.url] } });
  await Promise.all([balances.read(), balances.read()]);
  await balances.read();
  expect(server.requests).toHaveLength(1);
  balances.expire();
  await balances.read();
  expect(server.requests).toHaveLength(2);
});

test('a second reader is shown what was there before the money moved, while the first one waits for the network', async () => {
  let held: PromiseWithResolvers<void> | undefined;
  const how = { units: 5n, held: () => held?.promise };
  const server = await rpc(84532, 5n, how);
  const balances = balancesOf({ 'eip155:84532': { rpcUrls: [server.url] } });
  await balances.read();
  how.units = 9n;
  balances.expire();
  held = Promise.withResolvers<void>();
  const readers = [balances.read(), balances.read()];
  held.resolve();
  for (const readings of await Promise.all(readers)) expect(new Set(readings.map(({ units }) => units))).toEqual(new Set([9n]));
  expect(server.requests).toHaveLength(2);
});

test('an account that runs empty is not told of, a stale figure warns, or a warning stays when there is money again', async () => {
  let units = 400_000n;
  let thresholds: Readonly<Record<string, string>> = {};
  let changes = 0;
  const usdc = REGISTERED.list.find(({ network, symbol }) => network === 'eip155:84532' && symbol === 'USDC')!;
  const low = createLowBalance({ assets: REGISTERED, thresholds: () => thresholds, save: (next) => (thresholds = next), changed: () => changes++ });
  const show = (stale = false) => low.look(accounts.map((account) => ({ account, asset: usdc, units: baseUnits(units), stale })));
  show();
  expect(low.warnings()).toEqual([]);
  low.set(`eip155:84532/erc20:${usdc.address.toLowerCase()}`, '1.00');
  expect(low.warnings()).toEqual(['Your accounts hold 0.80 USDC on Base Sepolia, less than the 1.00 USDC below which you want to be told.']);
  show(true);
  expect(low.warnings()).toEqual([]);
  units = 500_000n;
  show();
  expect([low.warnings(), changes]).toEqual([[], 2]);
  expect(() => low.set('eip155:84532/erc20:0x0000000000000000000000000000000000000001', '1')).toThrow(expect.objectContaining({ code: 'ASSET_UNKNOWN' }));
  low.set(`eip155:84532/erc20:${usdc.address}`, undefined);
  expect(low.list()).toEqual([]);
});
