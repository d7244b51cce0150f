import { describe, expect, test } from 'vitest';
import { readBazaarPage } from '../../../src/core/discovery/read-page.ts';
import { OWN_TOOL_NAMES } from '../../../src/core/discovery/tool-name.ts';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { createSchemas } from '../../../src/main/adapters/schema-check.ts';
import type { ApprovedEndpoint } from '../../../src/main/adapters/store/approved-endpoints.ts';
import type { HttpAnswer } from '../../../src/main/http-buyer/http-answer.ts';
import type { HttpBuyer } from '../../../src/main/http-buyer/http-buyer.ts';
import type { HttpRequest } from '../../../src/main/http-buyer/http-request.ts';
import { createEndpointTools } from '../../../src/main/wallet-tools/endpoint-tools.ts';
import { createPaymentTools } from '../../../src/main/wallet-tools/payment-tools.ts';
import { createToolSet } from '../../../src/main/wallet-tools/tool-set.ts';
import type { WalletTool } from '../../../src/main/wallet-tools/define-tool.ts';
import { createDiscoverTools } from '../../../src/main/wallet-tools/x402-discover.ts';
import { createLookTools } from '../../../src/main/wallet-tools/x402-look.ts';
import { createPayTool } from '../../../src/main/wallet-tools/x402-pay.ts';
import { entry } from '../../support/bazaar-server.ts';

/** The paths of purchases are those of the integration tests; here a seller answers whatever it is asked. */
function world(change: object, { schemaProblem = '', answer = {}, url = 'https://api.example.com/v1/forecast' }: { schemaProblem?: string; answer?: Partial<HttpAnswer>; url?: string } = {}) {
  const [listing] = readBazaarPage(JSON.stringify([entry(url, change)])).listings;
  const state = { removedNow: false, asked: [] as HttpRequest[], noted: [] as string[] };
  const endpoint: ApprovedEndpoint = { id: 1, group: 'default', tool: 'forecast', listing: listing!, schemaProblem, approvedAt: 0, removedNow: false };
  const buyer: HttpBuyer = {
    async buy(request) {
      state.asked.push(request);
      return { kind: 'answer', answer: { status: 200, headers: { 'content-type': 'application/json' }, body: '{}', encoding: 'utf8', ...answer }, paymentId: '', delivered: () => {} };
    },
    ask: () => Promise.reject(new Error('nothing is estimated here')),
  };
  const tools = createEndpointTools({
    endpoints: { inForce: () => [endpoint], groupOf: () => 'default', isWithdrawn: () => state.removedNow },
    buyer,
    journal: { get: () => undefined },
    assets: REGISTERED,
    networks: () => ['eip155:84532'],
    schemas: createSchemas(20_000),
    words: { note: ({ tool, upstream }, text) => void state.noted.push(`${upstream} ${tool ?? ''}: ${text}`) },
  });
  const [tool] = tools('claude');
  const run = async (argumentsText: string) => {
    const answered = await tool!.run({ client: 'claude', session: 's', seenIn: () => '', argumentsText, startedAt: 0, signal: new AbortController().signal, progress: () => {} });
    if (answered.kind !== 'result') throw new Error('no result');
    return { text: answered.resultText, result: JSON.parse(answered.resultText) as { isError?: boolean; content: { text: string }[]; structuredContent?: Record<string, unknown> } };
  };
  return { state, tool: tool!, run, listed: () => JSON.parse(tool!.entryText) as { description: string; inputSchema: object; outputSchema: object; title: string } };
}

const query = (queryParams: object) => ({ extensions: { bazaar: { info: { input: { type: 'http', method: 'GET' } }, schema: { properties: { input: { properties: { queryParams } } } } } } });

describe('what an agent is told of an approved endpoint', () => {
  test('the price, the seller or the schema is missing', () => {
    expect(world({ ...query({ type: 'object', properties: { city: { type: 'string' } } }), description: 'Weather.' }).listed()).toMatchObject({
      title: 'forecast (api.example.com)',
      description: 'Weather. (Cost: 0.01 USDC)',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      outputSchema: { type: 'object' },
    });
  });

  test('a schema that cannot be used is handed on', () => {
    const { description, inputSchema } = world(query({ type: 'object', properties: { city: { type: 7 } } }), { schemaProblem: 'its schema cannot be used' }).listed();
    expect([description, inputSchema]).toEqual(['What it does. It takes any arguments, because its schema cannot be used. (Cost: 0.01 USDC)', { type: 'object' }]);
  });

  test('arguments that do not fit are paid for', async () => {
    const { run, state } = world(query({ type: 'object', properties: { a: { type: 'string', pattern: '^b' } }, required: ['a'] }));
    expect((await run('{"a":"x"}')).result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Nothing was sent') }] });
    expect((await run('{}')).result.isError).toBe(true);
    expect(state.asked).toEqual([]);
    expect((await run('{"a":"b c"}')).result.isError).toBeUndefined();
    expect(state.asked).toMatchObject([{ url: 'https://api.example.com/v1/forecast?a=b%20c', method: 'GET' }]);
  });

  test('an answer breaks the line that it is written on, loses digits, or is not noted as a stranger\'s words', async () => {
    const { run, state } = world({}, { answer: { body: '{\n "n": 12345678901234567890,\r\n "x": 1.0\n}\n' } });
    const { text, result } = await run('{}');
    expect(text).not.toContain('\n');
    expect(text).toContain('"body":{"n":12345678901234567890,"x":1.0}');
    expect(result.content[0]?.text).toContain('12345678901234567890');
    expect(state.noted).toEqual([expect.stringMatching(/^api\.example\.com : .*What it does\./), expect.stringMatching(/^api\.example\.com GET \/v1\/forecast: \{/)]);
  });

  test.each<[Partial<HttpAnswer>, object]>([
    [{ body: 'plain', headers: { 'content-type': 'text/plain; charset=utf-8' } }, { content: [{ type: 'text', text: 'plain' }], structuredContent: { httpStatus: 200, contentType: 'text/plain', body: 'plain', bodyEncoding: 'text' } }],
    [{ body: 'AAEC', encoding: 'base64', headers: { 'content-type': 'image/png' } }, { content: [{ type: 'image', data: 'AAEC', mimeType: 'image/png' }], structuredContent: { bodyEncoding: 'base64' } }],
    [{ status: 302, body: '' }, { isError: true, content: [{ text: expect.stringContaining('redirect') }] }],
    [{ status: 500, body: 'x'.repeat(9999) }, { isError: true }],
  ])('an answer such as %j is told otherwise', async (answer, result) => {
    expect((await world({}, { answer }).run('{}')).result).toMatchObject(result);
  });
});

test('a tool of Bursar\'s own has a name that an endpoint may get', () => {
  const never = () => {
    throw new Error('nothing is called here');
  };
  const words = { note: never };
  const buyer = { buy: never, ask: never };
  const journal = { get: never, atomically: never };
  const own = [
    ...createPaymentTools({ journal, assets: REGISTERED, isServer: () => true }),
    createPayTool({ buyer, journal, words }),
    ...createLookTools({ balances: { read: never }, payments: never, assets: REGISTERED }),
    ...createDiscoverTools({ catalogue: { search: never, sources: never }, buyer, assets: REGISTERED, words }),
  ];
  expect(own.map(({ name }) => name).filter((name) => !OWN_TOOL_NAMES.has(name))).toEqual([]);
});

test('I7: a tool that a seller named takes the place of Bursar\'s own, or is called after it was withdrawn', () => {
  const { tool, state } = world({});
  const own: WalletTool = { name: 'forecast', scope: 'x402:execute', entryText: '{"name":"forecast","own":true}', run: tool.run };
  const named = (tools: readonly WalletTool[]) => createToolSet({ tools: () => tools, approved: () => [tool], scopesOf: () => ['x402:execute'], require: () => {} }).open('claude', () => {});
  expect(named([own]).listed()).toEqual([own.entryText]);
  const view = named([]);
  expect(view.find('forecast')?.name).toBe(tool.name);
  state.removedNow = true;
  expect([view.find('forecast'), view.listed()]).toEqual([undefined, []]);
  expect(createToolSet({ tools: () => [], approved: () => [tool], scopesOf: () => ['payment_context:read'], require: () => {} }).open('claude', () => {}).listed()).toEqual([]);
});
