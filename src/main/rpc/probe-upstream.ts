import { z } from 'zod';
import type { ToolFacts } from '../../core/challenges/tool-facts.ts';
import type { UpstreamTest } from '../../shared/contract/upstreams.ts';
import { ERROR_CODES, type ErrorCode } from '../../shared/errors/codes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { ClientChannel } from '../bridge/channel.ts';

export interface ProbeDeps {
  readonly bridge: Pick<Bridge, 'connect'>;
  readonly facts: Pick<ToolFacts, 'of'>;
  readonly version: string;
}

/** Name under which the probe connects. No client can be registered by it, so nothing could be paid for it without the owner. */
const CLIENT = 'bursar (test)';
const NEWEST_HANDSHAKE = '2025-11-25';
const WITHOUT_HANDSHAKE = '2026-07-28';
const MOST_TOOLS = 500;
const MOST_PAGES = 1_000;
const METHOD_NOT_FOUND = -32601;

const Answer = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string(), data: z.looseObject({ code: z.string(), hint: z.string() }).optional().catch(undefined) }).optional(),
});
const Implementation = z.looseObject({ name: z.string().catch(''), version: z.string().catch('') });
const Initialized = z.looseObject({ protocolVersion: z.string().catch(''), serverInfo: Implementation.optional().catch(undefined) });
const ToolPage = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), description: z.string().optional().catch(undefined) })),
  nextCursor: z.string().optional(),
});

type Ask = (method: string, params: Record<string, unknown>) => Promise<unknown>;

/**
 * Reaches a server as a client does, through the bridge: `initialize` (MCP 2025-11-25) or, where a server knows that no more, requests of
 * 2026-07-28, then every page of `tools/list`. It calls no tool, so it pays nothing. Throws what kept the server from answering.
 */
export async function probeUpstream(name: string, { withinMs }: { readonly withinMs: number }, { bridge, facts, version }: ProbeDeps): Promise<UpstreamTest> {
  const begun = performance.now();
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const take = (text: string): void => {
    const parsed = Answer.safeParse(parse(text));
    if (!parsed.success) return;
    const { id, method, result, error } = parsed.data;
    if (method !== undefined) return answerServer(id, method);
    const open = typeof id === 'number' ? waiting.get(id) : undefined;
    if (!open) return;
    if (error) open.reject(failure(name, error.message, error.data));
    else open.resolve(result);
  };
  const main: ClientChannel = {
    open: true,
    streams: true,
    write(text, options) {
      options?.done?.(true);
      take(text);
    },
    end: () => undefined,
  };
  const session = bridge.connect({ client: CLIENT, upstream: name, main });
  const send = (message: Record<string, unknown>): void => void session.accept(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const answerServer = (id: unknown, method: string): void => {
    if (id === undefined) return;
    send(method === 'ping' ? { id, result: {} } : { id, error: { code: METHOD_NOT_FOUND, message: 'This is a test of the connection.' } });
  };
  const late = AbortSignal.timeout(withinMs);
  let next = 0;
  const ask: Ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++next;
      const tooLate = () => reject(new BursarError('UPSTREAM_UNREACHABLE', `The server "${name}" did not answer ${method} within ${withinMs / 1000} s.`, { hint: 'A command that downloads itself first may take longer: give it more time, or run it once by hand.' }));
      late.addEventListener('abort', tooLate, { once: true });
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  try {
    const { server, protocolVersion, meta } = await greet(ask, send, version);
    const tools: UpstreamTest['tools'] = [];
    let count = 0;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { tools: listed, nextCursor } = read(name, ToolPage, await ask('tools/list', { ...meta, ...(cursor !== undefined && { cursor }) }), 'tools/list');
      count += listed.length;
      for (const tool of listed) if (tools.length < MOST_TOOLS) tools.push({ name: cleanText(tool.name, 128), description: cleanText(tool.description ?? '', 300), price: priceOf(facts, name, tool.name) });
      if (nextCursor === undefined || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return { name, server, protocolVersion, tookMs: Math.round(performance.now() - begun), tools, more: count - tools.length };
  } finally {
    await session.close({ reason: 'The test is over.' });
  }
}

async function greet(ask: Ask, send: (message: Record<string, unknown>) => void, version: string) {
  const clientInfo = { name: 'bursar', version };
  try {
    const { protocolVersion, serverInfo } = Initialized.parse(await ask('initialize', { protocolVersion: NEWEST_HANDSHAKE, capabilities: {}, clientInfo }));
    send({ method: 'notifications/initialized' });
    return { server: nameOf(serverInfo), protocolVersion: cleanText(protocolVersion, 40), meta: {} };
  } catch (error) {
    // A server that was reached and knows no handshake is of the stateless protocol.
    if (!(error instanceof BursarError) || error.code !== 'UPSTREAM_REFUSED') throw error;
    const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': WITHOUT_HANDSHAKE, 'io.modelcontextprotocol/clientInfo': clientInfo, 'io.modelcontextprotocol/clientCapabilities': {} } };
    const discovered = await ask('server/discover', meta).catch(() => {
      throw error;
    });
    return { server: nameOf(Initialized.safeParse(discovered).data?.serverInfo), protocolVersion: WITHOUT_HANDSHAKE, meta };
  }
}

const nameOf = (info: z.infer<typeof Implementation> | undefined): string => cleanText(`${info?.name ?? ''} ${info?.version ?? ''}`.trim(), 160);

function priceOf(facts: ProbeDeps['facts'], upstream: string, tool: string): string {
  const price = facts.of(upstream, tool)?.price;
  return price ? `${price.amount} ${price.currency}` : '';
}

/** An error of the bridge's own keeps its code; one of the server's is told in its words. */
function failure(name: string, message: string, data: { readonly code: string; readonly hint: string } | undefined): BursarError {
  if (data && Object.hasOwn(ERROR_CODES, data.code)) {
    const said = cleanText(message).replace(` ${data.hint} (${data.code})`, '');
    return new BursarError(data.code as ErrorCode, said, { hint: data.hint });
  }
  return new BursarError('UPSTREAM_REFUSED', `The server "${name}" answered with an error: ${cleanText(message)}`, { hint: 'Check its address, its headers or its command.' });
}

function read<T>(name: string, shape: z.ZodType<T>, result: unknown, method: string): T {
  const parsed = shape.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new BursarError('UPSTREAM_REFUSED', `The server "${name}" answered ${method} in a form that is not MCP.`, { hint: 'Check that the address or command is that of an MCP server.' });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
