import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { shownName } from '../../src/main/bridge/aggregate/names.ts';

/** The route to all servers at the names that the suite knows. */
export interface SuiteNames {
  readonly url: string;
  close(): Promise<void>;
}

interface Message {
  readonly method?: string;
  readonly params?: { name?: string; ref?: { name?: string } };
}

/**
 * Stands before the route to all servers and gives tools and prompts there the names that the suite calls them by: there they begin with their server's. Whatever else
 * passes is as it was, headers and streams and all.
 */
export async function startSuiteNames(target: string, upstream: string): Promise<SuiteNames> {
  const shown = (name: string): string => shownName(upstream, name);
  const named = new RegExp(`(["' ])${shown('')}`, 'g');
  const unnamed = (text: string): string => text.replace(named, '$1');

  const translated = (body: string): string => {
    if (body === '') return body;
    let message: Message | Message[];
    try {
      message = JSON.parse(body) as Message | Message[];
    } catch {
      return body;
    }
    if (Array.isArray(message)) return body;
    const { method, params } = message;
    if ((method === 'tools/call' || method === 'prompts/get') && typeof params?.name === 'string') params.name = shown(params.name);
    else if (method === 'completion/complete' && typeof params?.ref?.name === 'string') params.ref.name = shown(params.ref.name);
    else return body;
    return JSON.stringify(message);
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await textOf(incoming);
    const sent = translated(body);
    const { 'content-length': _length, 'mcp-name': name, host = '', origin, ...headers } = incoming.headers;
    // A name that is not this machine's has to arrive as it is: it is what the suite looks at.
    const atTarget = (value: string): string => value.replace(`:${port}`, `:${new URL(target).port}`);
    const renamed = sent !== body && typeof name === 'string' ? { 'mcp-name': shown(name) } : name === undefined ? {} : { 'mcp-name': name };
    const inner = httpRequest(target, { method: incoming.method ?? 'GET', headers: { ...headers, host: atTarget(host), ...(origin !== undefined && { origin: atTarget(origin) }), ...renamed, ...(sent !== '' && { 'content-length': Buffer.byteLength(sent) }) } }, (response) => {
      const { 'content-length': _size, ...rest } = response.headers;
      outgoing.writeHead(response.statusCode ?? 500, rest);
      outgoing.flushHeaders();
      let held = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        held += chunk;
        const end = held.lastIndexOf('\n') + 1;
        outgoing.write(unnamed(held.slice(0, end)));
        held = held.slice(end);
      });
      response.on('end', () => outgoing.end(unnamed(held))).on('error', () => outgoing.destroy());
    });
    inner.on('error', () => outgoing.destroy());
    outgoing.on('close', () => inner.destroy());
    inner.end(sent);
  };

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}
