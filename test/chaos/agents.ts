import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { entryOf, type AppProcess } from '../support/app-process.ts';
import type { ToolAnswer } from '../support/http-agent.ts';
import type { AgentName, PlannedCall, UpstreamName } from './plan.ts';

/** One call on its way. */
export interface OpenCall {
  /** Rejects when the connection breaks. */
  readonly answer: Promise<ToolAnswer>;
  /** Sends `notifications/cancelled`. */
  cancel(): void;
  /** Breaks this call's connection where it has one of its own. */
  drop(): void;
}

/** An MCP client's session with one server. */
interface Agent {
  call(args: object): OpenCall;
  close(): void;
}

/** The agents of one run of an application; each opens its session at its first call. */
export interface Agents {
  call(call: PlannedCall): Promise<OpenCall>;
  close(): void;
}

const INITIALIZE = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'chaos-agent', version: '1' } } };
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const cancelled = (requestId: number): object => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** `tokens` prove the names of the agents that come over a shim. */
export function openAgents(app: AppProcess, tokens: ReadonlyMap<AgentName, string>): Agents {
  const sessions = new Map<string, Promise<Agent>>();
  const open: Agent[] = [];
  let isClosed = false;
  const session = (agent: AgentName, upstream: UpstreamName): Promise<Agent> => {
    const key = `${agent} ${upstream}`;
    const known = sessions.get(key);
    if (known) return known;
    const opening = (agent === 'http' ? httpAgent(app, upstream) : stdioAgent(app, upstream, agent, tokens.get(agent) ?? '')).then((opened) => {
      // One whose start outlived this run's end would stay for the whole of the chaos.
      if (isClosed) opened.close();
      else open.push(opened);
      return opened;
    });
    sessions.set(key, opening);
    return opening;
  };
  return {
    async call(call) {
      const agent = await session(call.agent, call.upstream);
      return agent.call({ call: call.id });
    },
    close() {
      isClosed = true;
      for (const agent of open) agent.close();
    },
  };
}

async function httpAgent({ mcp, token }: AppProcess, upstream: string): Promise<Agent> {
  let session: string | undefined;
  let lastId = 0;
  const everything = new AbortController();
  const post = async (message: object, signal: AbortSignal): Promise<unknown> => {
    const response = await fetch(`${mcp}/${upstream}`, {
      method: 'POST',
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify(message),
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return text === '' ? undefined : JSON.parse(text);
    const { id } = message as { id?: number };
    const events = text.split('\n').filter((line) => line.startsWith('data:')).map((line) => JSON.parse(line.slice(5)) as { id?: number });
    return events.find((event) => event.id === id);
  };
  await post({ jsonrpc: '2.0', id: ++lastId, ...INITIALIZE }, everything.signal);
  await post(INITIALIZED, everything.signal);
  return {
    call(args) {
      const id = ++lastId;
      const own = new AbortController();
      const signal = AbortSignal.any([own.signal, everything.signal]);
      return {
        answer: post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: toolOf(args), arguments: args } }, signal) as Promise<ToolAnswer>,
        cancel: () => void post(cancelled(id), everything.signal).catch(() => {}),
        drop: () => own.abort(),
      };
    },
    close: () => everything.abort(),
  };
}

/** A tool of its own for each call: other terms for the same tool are asked about, which is policy and no fault. */
const toolOf = (args: object): string => `buy_${(args as { call: number }).call}`;

async function stdioAgent({ home }: AppProcess, upstream: string, client: string, token: string): Promise<Agent> {
  const child = spawn(process.execPath, [entryOf('shim.js', 'out-test'), '--home', home, '--upstream', upstream, '--client', client], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, BURSAR_CLIENT_TOKEN: token } });
  const waiting = new Map<number, { resolve(answer: ToolAnswer): void; reject(error: Error): void }>();
  let lastId = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as ToolAnswer & { id?: number };
    waiting.get(message.id ?? -1)?.resolve(message);
  });
  child.stdin.on('error', () => {});
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the shim ended'));
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = (message: object): { id: number; answer: Promise<ToolAnswer> } => {
    const id = ++lastId;
    const answer = new Promise<ToolAnswer>((resolve, reject) => waiting.set(id, { resolve, reject }));
    send({ jsonrpc: '2.0', id, ...message });
    return { id, answer };
  };
  await ask(INITIALIZE).answer;
  send(INITIALIZED);
  return {
    call(args) {
      const { id, answer } = ask({ method: 'tools/call', params: { name: toolOf(args), arguments: args } });
      return { answer, cancel: () => send(cancelled(id)), drop: () => child.kill('SIGKILL') };
    },
    close: () => void child.kill('SIGKILL'),
  };
}
