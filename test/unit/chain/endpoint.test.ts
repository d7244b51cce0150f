import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createEndpoint } from '../../../src/main/adapters/chain/endpoint.ts';

/** An RPC server that says these bytes to every request, and ends its answer where told so. */
async function saying(bytes: string, ends: boolean): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => (ends ? socket.end(bytes) : socket.write(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n', false],
  ['less than it announced', 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"jsonrpc"', true],
  ['nothing', '', true],
])('I9: what waits for a chain waits for ever, past its time limit, because an RPC server answers with %s', async (_what, bytes, ends) => {
  const endpoint = createEndpoint(await saying(bytes, ends), 5_000);
  onTestFinished(endpoint.close);
  await expect(endpoint.ask('eth_blockNumber', [], z.string(), new AbortController().signal)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
});
