import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { checkRpc } from '../../../src/main/settings/check-rpc.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that gives every question the same result, or something that is no answer. */
async function rpc(result: unknown, raw?: string): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id } = JSON.parse(await text(request)) as { id: number };
    response.end(raw ?? JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/key`;
}

test('an address of another chain is taken for the right one, or one that is silent for the wrong one', async () => {
  const right = await rpc('0x14a34');
  const wrong = await rpc('0x1');
  const odd = await rpc('0xzz');
  const none = await rpc(undefined, '<html>');
  const gone = await rpc('0x14a34');
  open.at(-1)!.close();
  const checks = await checkRpc('eip155:84532', [right, wrong, odd, none, gone]);
  expect(checks.map(({ state }) => state)).toEqual(['ok', 'wrong-network', 'unreachable', 'unreachable', 'unreachable']);
  expect(checks[1]!.text).toContain('serves Ethereum (eip155:1), not Base Sepolia (eip155:84532)');
  // The path of an address may be a key.
  for (const { text: words } of checks) expect(words).not.toContain('/key');
});

test('Solana’s networks are not told apart by their genesis', async () => {
  const devnet = await rpc('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG');
  expect((await checkRpc('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', [devnet]))[0]!.state).toBe('ok');
  const checks = await checkRpc('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', [devnet]);
  expect(checks[0]).toMatchObject({ state: 'wrong-network', text: expect.stringContaining('Solana Devnet') as string });
});
