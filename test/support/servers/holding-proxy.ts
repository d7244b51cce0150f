import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A server in front of an MCP server that keeps the answer of every paid call back until it is told to let it go. */
export interface HoldingProxy {
  readonly url: string;
  /** Resolves once a paid call is held. */
  readonly held: Promise<void>;
  release(): void;
  close(): Promise<void>;
}

export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const server: Server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const isPaid = body.includes('x402/payment');
      const upstream = await fetch(target, { method: request.method ?? 'GET', headers: headers as Record<string, string>, ...(body.length > 0 && { body: new Uint8Array(body) }) });
      const bytes = Buffer.from(await upstream.arrayBuffer());
      if (isPaid) {
        held.resolve();
        await released.promise;
      }
      const { 'content-encoding': _encoding, 'content-length': _size, 'transfer-encoding': _transfer, ...kept } = Object.fromEntries(upstream.headers);
      response.writeHead(upstream.status, kept).end(bytes);
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    held: held.promise,
    release: () => released.resolve(),
    async close() {
      released.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
