import { spawn, type ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** An MCP client that does next to nothing itself, so that what it measures is what lies behind it. */
export interface BenchClient {
  /** Calls `echo`, or the tool of another name that does the same; rejects where the answer is not the one that belongs to the call. */
  echo(text: string, tool?: string): Promise<void>;
  /** Makes a call that is never answered, and calls it off. */
  cancelled(): Promise<void>;
  /** How many tools the server lists. */
  listTools(): Promise<number>;
  close(): Promise<void>;
}

export interface HttpTarget {
  readonly url: string;
  readonly token?: string;
}

export interface StdioTarget {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PROTOCOL_VERSION = '2025-11-25';
const INITIALIZE = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
const ANSWER_MS = 30_000;
const CANCEL_AFTER_MS = 20;

type Ask = (id: number, message: string) => Promise<string>;

/** Opens a session over Streamable HTTP; resolves once `initialize` is answered. */
export async function openHttpClient({ url, token }: HttpTarget): Promise<BenchClient> {
  const agent = new Agent({ keepAlive: true });
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const send = (method: 'POST' | 'DELETE', body = ''): Promise<{ readonly status: number; readonly session: string | undefined; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const post = request(url, { method, agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) }, timeout: ANSWER_MS }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const session = response.headers['mcp-session-id'];
          resolve({ status: response.statusCode ?? 0, session: typeof session === 'string' ? session : undefined, text: Buffer.concat(chunks).toString() });
        });
        response.on('error', reject);
      });
      post.on('error', reject).on('timeout', () => post.destroy(new Error(`no answer from ${url} in ${ANSWER_MS} ms`)));
      post.end(body);
    });
  const ask: Ask = async (_id, message) => {
    const { status, text } = await send('POST', message);
    if (status !== 200) throw new Error(`${url} answered with ${status}: ${text.slice(0, 200)}`);
    return text;
  };
  const { session, text } = await send('POST', requestText(0, 'initialize', INITIALIZE));
  if (!text.includes('"serverInfo"')) throw new Error(`${url} does not answer initialize: ${text.slice(0, 200)}`);
  if (session !== undefined) headers['mcp-session-id'] = session;
  headers['mcp-protocol-version'] = PROTOCOL_VERSION;
  await send('POST', INITIALIZED);
  const cancelled = async (id: number): Promise<void> => {
    const waits = send('POST', requestText(id, 'tools/call', { name: 'echo', arguments: { text: 'wait' } }));
    await delay(CANCEL_AFTER_MS);
    await send('POST', cancelText(id));
    // Its stream ends without an answer.
    await waits;
  };
  return client(ask, cancelled, async () => {
    if (session !== undefined) await send('DELETE').catch(() => undefined);
    agent.destroy();
  });
}

/** Starts a stdio server or proxy; resolves once `initialize` is answered. */
export async function openStdioClient({ command, args, env = {} }: StdioTarget): Promise<BenchClient & { readonly child: ChildProcess }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const waiting = new Map<number, { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }>();
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words = (words + chunk).slice(-1000);
  });
  let held: Buffer[] = [];
  const take = (line: string): void => {
    const id = Number(/"id":(\d+)/.exec(line.slice(0, 100) + line.slice(-100))?.[1]);
    waiting.get(id)?.resolve(line);
    waiting.delete(id);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      take(Buffer.concat([...held, chunk.subarray(start, end)]).toString());
      held = [];
      start = end + 1;
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('exit', (code) => waiting.forEach(({ reject }) => reject(new Error(`${args.join(' ')} ended with ${code}: ${words}`))));
  child.stdin.on('error', () => undefined);
  const ask: Ask = (id, message) =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${message}\n`);
    });
  if (!(await ask(0, requestText(0, 'initialize', INITIALIZE))).includes('"serverInfo"')) throw new Error(`${command} does not answer initialize`);
  child.stdin.write(`${INITIALIZED}\n`);
  const close = async (): Promise<void> => {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await exited;
    clearTimeout(late);
  };
  const cancelled = async (id: number): Promise<void> => {
    child.stdin.write(`${requestText(id, 'tools/call', { name: 'echo', arguments: { text: 'wait' } })}\n`);
    await delay(CANCEL_AFTER_MS);
    child.stdin.write(`${cancelText(id)}\n`);
  };
  return { ...client(ask, cancelled, close), child };
}

function client(ask: Ask, cancelled: (id: number) => Promise<void>, close: () => Promise<void>): BenchClient {
  let last = 0;
  const next = (): number => (last += 1);
  return {
    close,
    cancelled: () => cancelled(next()),
    async echo(text, tool = 'echo') {
      const id = next();
      const answer = await ask(id, requestText(id, 'tools/call', { name: tool, arguments: { text } }));
      if (!answer.includes(`"id":${id}`) || !answer.includes('"result"') || answer.length < text.length) throw new Error(`not the answer to call ${id}: ${answer.slice(0, 300)}`);
    },
    async listTools() {
      const id = next();
      return (await ask(id, requestText(id, 'tools/list', {}))).split('"inputSchema"').length - 1;
    },
  };
}

const requestText = (id: number, method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const cancelText = (id: number): string => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
