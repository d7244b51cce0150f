import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ProxyMode = 'pass' | 'hang' | '503' | 'garbage' | 'drop' | 'cut' | 'stall';

export interface RpcProxy {
  readonly port: number;
  /** What it does with every request. */
  mode: ProxyMode;
  /** Answers of its own, by method, in place of the server's. */
  readonly answers: Map<string, unknown>;
  /** Methods asked, in order. */
  readonly asked: string[];
  url(hostname?: string): string;
  close(): Promise<void>;
}

/** A JSON-RPC server on a real socket in front of another, which can be made to fail. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const answers = new Map<string, unknown>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      asked.push(method);
      const reply = (text: string) => response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      if (proxy.mode === 'hang') return;
      if (proxy.mode === '503') return void response.writeHead(503).end('busy');
      if (proxy.mode === 'garbage') return void reply('<html>hello</html>');
      if (proxy.mode === 'drop') return void request.socket.destroy();
      if (proxy.mode === 'cut' || proxy.mode === 'stall') {
        response.writeHead(200, { 'content-length': 1000 }).write('{"jsonrpc"');
        return proxy.mode === 'cut' ? void setImmediate(() => request.socket.destroy()) : undefined;
      }
      if (answers.has(method)) return void reply(JSON.stringify({ jsonrpc: '2.0', id, result: answers.get(method) }));
      fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then((answer) => answer.text())
        .then(reply, () => response.writeHead(502).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: RpcProxy = {
    port,
    mode: 'pass',
    answers,
    asked,
    url: (hostname = '127.0.0.1') => `http://${hostname}:${port}`,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
  return proxy;
}
