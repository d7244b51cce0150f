import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { noteOutput } from './home-leaks.ts';

export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Starts an entry as its client does, and gives what a tool of its answers. */
export async function callAsClient({ command, args, env }: StdioEntry, tool: string, toolArguments: object = {}): Promise<string> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], ...env } });
  const home = args[args.indexOf('--home') + 1];
  if (args.includes('--home') && home !== undefined) child.stdout.on('data', (chunk: Buffer) => noteOutput(home, 'what the shim printed', chunk));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the server ended');
      const answer = z.looseObject({ id: z.number().optional(), result: z.unknown().optional() }).parse(JSON.parse(value));
      if (answer.id === id) return answer.result;
    }
  };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const result = await ask(2, 'tools/call', { name: tool, arguments: toolArguments });
  child.stdin.end();
  await once(child, 'exit');
  return JSON.stringify(result);
}
