import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { entryOf } from '../support/app-process.ts';
import { noteOutput } from '../support/home-leaks.ts';
import type { HttpAgent, ToolAnswer } from '../support/http-agent.ts';

/** An agent whose client starts Bursar's shim, as desktop clients do. */
export interface StdioAgent extends Pick<HttpAgent, 'call'> {
  close(): Promise<void>;
}

/** Opens a session with one upstream through the shim, as the client that the token names. */
export async function stdioAgent({ home, upstream, client, token }: { readonly home: string; readonly upstream: string; readonly client: string; readonly token: string }): Promise<StdioAgent> {
  const child = spawn(process.execPath, [entryOf('shim.js'), '--home', home, '--upstream', upstream, '--client', client], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, BURSAR_CLIENT_TOKEN: token } });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => noteOutput(home, 'what the shim printed', chunk));
  const waiting = new Map<number, (answer: unknown) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { readonly id?: number };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let next = 0;
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object): Promise<unknown> => {
    const id = (next += 1);
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      exited.then(() => reject(new Error('the shim ended')), reject);
      write({ id, method, params });
    });
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'matrix', version: '1' } });
  write({ method: 'notifications/initialized' });
  return {
    call: (name, args, meta) => request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }) as Promise<ToolAnswer>,
    close: () => {
      child.stdin.end();
      return exited;
    },
  };
}
