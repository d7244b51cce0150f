import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { checkNetworks } from '../../../src/main/rpc/checkup-networks.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** An RPC server of Base whose latest block is of that time, or of another chain. */
async function rpc({ at = NOW, chain = '0x2105' } = {}): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method } = JSON.parse(await text(request)) as { id: number; method: string };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? chain : { timestamp: `0x${(at / 1000).toString(16)}` } }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const look = async (...rpcUrls: string[]) => {
  const checks = await checkNetworks({ environment: 'mainnet', networks: () => ({ 'eip155:8453': { rpcUrls } }), now: () => NOW, command: (words) => `bursar ${words}` });
  return Object.fromEntries(checks.map(({ name, state }) => [name.split(' ')[0], state]));
};

test.each([
  [0, 'ok'],
  [60_000, 'ok'],
  [90_000, 'warn'],
  [301_000, 'fail'],
  [-15_000, 'ok'],
  [-20_000, 'warn'],
  [-301_000, 'fail'],
])('a clock that is %i ms ahead of the chain is called otherwise than %s', async (skew, state) => {
  expect(await look(await rpc({ at: NOW - skew }), (await rpc({ at: NOW - skew })).replace('127.0.0.1', 'localhost'))).toEqual({ network: 'ok', clock: state });
});

test('an RPC server that is down, serves another chain, or is one witness twice, counts as sound', async () => {
  const good = await rpc();
  const other = await rpc({ chain: '0x1' });
  expect(await look(good, other)).toEqual({ network: 'warn', clock: 'ok' });
  expect(await look(other)).toEqual({ network: 'fail' });
  expect(await look('http://127.0.0.1:1')).toEqual({ network: 'fail' });
  expect(await look(good, await rpc())).toEqual({ network: 'warn', clock: 'ok' });
  // A slow server beside one that is up to date says nothing against the clock.
  expect(await look(good, (await rpc({ at: NOW - 3_600_000 })).replace('127.0.0.1', 'localhost'))).toEqual({ network: 'ok', clock: 'ok' });
});
