import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAYEE, USDC } from './payment-world.ts';

/** An entry as a Bazaar sends it. */
export interface BazaarEntry {
  readonly resource: string;
  readonly [member: string]: unknown;
}

export interface BazaarServer {
  /** To be given as a source. */
  readonly url: string;
  readonly host: string;
  /** Paths with queries, in order. */
  readonly asked: string[];
  entries: readonly unknown[];
  /** Answers in place of the list; undefined lists. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** What its own search finds; undefined: it has none. */
  search: ((query: string) => readonly unknown[]) | undefined;
  close(): Promise<void>;
}

/** A Bazaar on this machine: `GET /discovery/resources` with limit and offset, at most 100 a page. */
export async function startBazaar(entries: readonly unknown[] = []): Promise<BazaarServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (bazaar.answer?.(request, response)) return undefined;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bazaar');
    const send = (body: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/discovery/resources') {
      const limit = Math.min(100, Number(searchParams.get('limit') ?? 100));
      const offset = Number(searchParams.get('offset') ?? 0);
      return send({ x402Version: 2, items: bazaar.entries.slice(offset, offset + limit), pagination: { limit, offset, total: bazaar.entries.length } });
    }
    if (pathname === '/discovery/search' && bazaar.search) return send({ x402Version: 2, resources: bazaar.search(searchParams.get('query') ?? ''), partialResults: false });
    return response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bazaar: BazaarServer = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    asked,
    entries,
    answer: undefined,
    search: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return bazaar;
}

/** A well-formed entry of x402 v2. */
export const entry = (resource: string, change: object = {}): BazaarEntry => ({
  resource,
  type: 'http',
  x402Version: 2,
  accepts: [{ scheme: 'exact', network: 'eip155:84532', amount: '10000', asset: USDC, payTo: PAYEE, maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' } }],
  lastUpdated: '2026-01-15T10:30:00Z',
  description: 'What it does.',
  ...change,
});

const SUBJECTS = ['weather', 'news', 'stock', 'translation', 'image', 'music', 'map', 'recipe', 'sentiment', 'currency', 'flight', 'sports', 'horoscope', 'medicine', 'law', 'energy'];
const VERBS = ['forecast', 'search', 'analysis', 'summary', 'ranking', 'history', 'alert', 'conversion', 'detection', 'generation'];

/** So many different entries, in both forms of x402 and with both forms of dates. */
export const manyEntries = (count: number): readonly BazaarEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const subject = SUBJECTS[index % SUBJECTS.length]!;
    const verb = VERBS[Math.floor(index / SUBJECTS.length) % VERBS.length]!;
    const url = `https://api-${index % 997}.example.com/v${index % 3}/${subject}-${verb}-${index}`;
    const words = `${subject} ${verb} number ${index}. Gives the ${verb} of ${subject} for a place and a day, with sources and a confidence. Made for agents that plan ${SUBJECTS[(index * 7) % SUBJECTS.length]!} and ${VERBS[(index * 3) % VERBS.length]!}.`;
    if (index % 2 === 0) return entry(url, { description: words, serviceName: `${subject} house ${index % 50}`, tags: [subject, verb], lastUpdated: 1_760_000_000 + index });
    return entry(url, {
      description: undefined,
      x402Version: 1,
      lastUpdated: new Date(1_760_000_000_000 + index * 1000).toISOString(),
      accepts: [{ scheme: 'exact', network: 'base-sepolia', maxAmountRequired: String(1000 + index), asset: USDC, payTo: PAYEE, description: words, outputSchema: { input: { type: 'http', method: 'GET', queryParams: { place: { type: 'string', required: true } } } } }],
    });
  });
