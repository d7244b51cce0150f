import { describe, expect, test } from 'vitest';
import { readBazaarPage } from '../../../../src/core/discovery/read-page.ts';
import { readTime } from '../../../../src/core/discovery/read-listing.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';
import { entry } from '../../../support/bazaar-server.ts';

const read = (value: unknown) => readBazaarPage(JSON.stringify(value));
const one = (change: object, resource = 'https://api.example.com/v1/forecast') => read({ items: [entry(resource, change)] }).listings[0];
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

describe('the forms of a list', () => {
  test.each<[string, unknown]>([
    ['items', { items: [entry('https://a.example/x')], pagination: { total: 1 } }],
    ['resources, of a search', { resources: [entry('https://a.example/x')], pagination: null }],
    ['data', { data: [entry('https://a.example/x')] }],
    ['an envelope', { code: '000000', data: { items: [entry('https://a.example/x')], pagination: { total: 1 } } }],
    ['a bare list', [entry('https://a.example/x')]],
    ['a resource that is an object', { items: [entry('', { resource: { url: 'https://a.example/x', description: 'What it does.' } })] }],
    ['version 1, which names the resource in its offer', { items: [{ accepts: [{ scheme: 'exact', network: 'base', maxAmountRequired: '1', asset: '0x1', payTo: '0x2', resource: 'https://a.example/x' }] }] }],
  ])('%s is not read', (_form, value) => {
    expect(read(value).listings).toMatchObject([{ url: 'https://a.example/x', method: 'GET' }]);
  });

  test.each(['', 'null', '7', '"x"', '{}', '{"items":7}', '{"error":"x"}', '<html>'])('%s passes for a list', (text) => {
    expect(() => readBazaarPage(text)).toThrow(expect.objectContaining({ code: 'JSON_INVALID' }) as Error);
  });
});

test.each<[unknown, number | undefined]>([
  ['2026-01-15T10:30:00Z', Date.UTC(2026, 0, 15, 10, 30)],
  [1_768_473_000, Date.UTC(2026, 0, 15, 10, 30)],
  [1_768_473_000_000, Date.UTC(2026, 0, 15, 10, 30)],
  ['1768473000', Date.UTC(2026, 0, 15, 10, 30)],
  [1e300, undefined],
  [-5, undefined],
  [Number.NaN, undefined],
  ['tomorrow', undefined],
  [{}, undefined],
])('the date %j is read as %s', (value, at) => {
  expect(readTime(value)).toBe(at);
});

describe('hostile entries', () => {
  test.each<[string, unknown]>([
    ['a script for an address', entry('javascript:alert(1)')],
    ['a file', entry('file:///etc/passwd')],
    ['a password in its address', entry('https://me:secret@api.example.com/')],
    ['an address that hides characters', entry('https://api.example.com/\u202egpj.exe')],
    ['an endless address', entry(`https://api.example.com/${'a'.repeat(5000)}`)],
    ['no address', entry('')],
    ['an MCP server', entry('https://api.example.com/mcp', { type: 'mcp' })],
    ['an MCP tool', entry('https://api.example.com/mcp', { extensions: { bazaar: { info: { input: { type: 'mcp', toolName: 'x', inputSchema: {} } } } } })],
    ['no price', entry('https://api.example.com/', { accepts: [] })],
    ['a negative price', entry('https://api.example.com/', { accepts: [{ scheme: 'exact', network: 'base', amount: '-1', asset: '0x1', payTo: '0x2' }] })],
    ['a price above every token', entry('https://api.example.com/', { accepts: [{ scheme: 'exact', network: 'base', amount: '9'.repeat(78), asset: '0x1', payTo: '0x2' }] })],
    ['a payee that hides characters', entry('https://api.example.com/', { accepts: [{ scheme: 'exact', network: 'base', amount: '1', asset: '0x1', payTo: '0x2\u200b' }] })],
    ['a depth that breaks readers', entry('https://api.example.com/', { metadata: nested(500) })],
    ['a method that is none', entry('https://api.example.com/', { extensions: { bazaar: { info: { input: { type: 'http', method: 'CONNECT' } } } } })],
    ['null', null],
    ['a number', 7],
    ['a list', [[]]],
  ])('%s is listed, or keeps the others from being listed', (_what, hostile) => {
    expect(read({ items: [entry('https://good.example/a'), hostile, entry('https://good.example/b')] })).toMatchObject({ entries: 3, skipped: 1, listings: [{ url: 'https://good.example/a' }, { url: 'https://good.example/b' }] });
  });

  test('a page of 100,000 entries, or of any size, is read whole', () => {
    const page = read({ items: Array.from({ length: 100_000 }, () => 7) });
    expect(page).toMatchObject({ entries: 100_000, skipped: 100_000, listings: [] });
    expect(read({ items: Array.from({ length: 6_000 }, (_, index) => entry(`https://a.example/${index}`)) }).listings).toHaveLength(5_000);
  });

  test('a depth of any size breaks the reader', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(readBazaarPage(`{"items":[${JSON.stringify(entry('https://good.example/a'))},${deep}]}`)).toMatchObject({ entries: 2, skipped: 1 });
  });

  test('an endpoint with any number of parameters, prices or tags that look alike takes for ever', () => {
    const alike = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${'\u00e4'.repeat((index % 7) + 1)}${String.fromCharCode(0x4e00 + (index % 20_000))}${index}`.replace(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit))), {}]));
    const schema = { properties: { input: { properties: { queryParams: { type: 'object', properties: alike, required: Object.keys(alike) }, body: { type: 'object', properties: alike } } } } };
    const began = performance.now();
    const listing = one({ tags: Array.from({ length: 50_000 }, () => 'tag'), accepts: Array.from({ length: 50_000 }, () => ({ scheme: 'exact', network: 'base', amount: '1', asset: '0x1', payTo: '0x2' })), extensions: { bazaar: { info: { input: { type: 'http', method: 'POST' } }, schema } } });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect([listing?.input.parameters.length, listing?.prices.length, listing?.tags.length]).toEqual([100, 16, 10]);
    expect(new Set(listing?.input.parameters.map(({ argument }) => argument)).size).toBe(100);
  });

  test('a total that is no number, or a cursor without end, is believed', () => {
    expect(read({ items: [], pagination: { total: -1, cursor: 'x'.repeat(5000) } })).toEqual({ listings: [], entries: 0, skipped: 0 });
    expect(read({ items: [], pagination: { total: 1e300 } }).total).toBeUndefined();
  });

  test('texts turn the direction of what stands beside them, or are endless', () => {
    const listing = one({ serviceName: `\u202eevil${'x'.repeat(500)}`, description: `\u2066${'y'.repeat(5000)}`, tags: ['\u200bt', 7, 'z'.repeat(100)] });
    expect(`${listing?.name}${listing?.description}${listing?.tags.join('')}`).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    expect([listing?.name.length, listing?.description.length, listing?.tags.length]).toEqual([81, 1001, 2]);
  });

  test('a key of the prototype is taken for a member', () => {
    expect(readBazaarPage('{"items":[{"__proto__":{"resource":"https://a.example/x"},"accepts":[{"__proto__":{"scheme":"exact"}}]}]}')).toMatchObject({ skipped: 1 });
    expect(isBursarError(({} as { code?: string }).code)).toBe(false);
  });
});

describe('how an endpoint is called', () => {
  const v2 = (bazaar: object) => one({ extensions: { bazaar } })?.input;
  const schemaOf = (text: string | undefined) => JSON.parse(text ?? '""') as Record<string, unknown>;

  test('a published schema is changed', () => {
    const city = { type: 'string', minLength: 2, description: 'A city', enum: ['Rome', 'Oslo'] };
    const input = v2({ info: { input: { type: 'http', method: 'GET' } }, schema: { properties: { input: { properties: { queryParams: { type: 'object', properties: { city }, required: ['city'], additionalProperties: false } } } } } });
    expect(schemaOf(input?.schemaText)).toEqual({ type: 'object', properties: { city }, required: ['city'], additionalProperties: false });
    expect(input).toMatchObject({ problem: '', parameters: [{ argument: 'city', place: 'query', name: 'city' }] });
  });

  test('what a body says as a whole, or its references, are lost', () => {
    const body = { type: 'object', properties: { a: { $ref: '#/$defs/tree' }, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    const input = v2({ info: { input: { type: 'http', method: 'POST', bodyType: 'json', body: {} } }, schema: { $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } } }, properties: { input: { properties: { body } } } } });
    expect(schemaOf(input?.schemaText)).toMatchObject({ properties: body.properties, oneOf: body.oneOf, $defs: { tree: {} } });
  });

  test.each<[string, object, RegExp]>([
    ['refers to another server', { $ref: 'https://evil.example/schema.json' }, /outside of it/],
    ['refers to a place that is cut off', { $ref: '#/properties/input' }, /outside of it/],
    ['hides characters in a value', { enum: ['a\u202eb'] }, /hides characters/],
    ['hides characters in a name', { properties: { 'a\u200bb': {} } }, /hides characters/],
    ['is endless', { enum: Array.from({ length: 5_000 }, (_, index) => `value ${index}`) }, /too large/],
  ])('a schema that %s is handed to an agent', (_what, a, problem) => {
    const input = v2({ info: { input: { type: 'http', method: 'GET' } }, schema: { properties: { input: { properties: { queryParams: { type: 'object', properties: { a } } } } } } });
    expect(input).toMatchObject({ schemaText: '', problem: expect.stringMatching(problem), parameters: [{ argument: 'a' }] });
  });

  test('a sentence in a schema hides characters', () => {
    const input = v2({ info: { input: { type: 'http', method: 'GET' } }, schema: { properties: { input: { properties: { queryParams: { type: 'object', properties: { a: { description: 'x\u{e0041}\u202ey' } } } } } } } });
    expect(schemaOf(input?.schemaText)).toMatchObject({ properties: { a: { description: 'xy' } } });
  });

  test('the fields of version 1 are no schema, or a payment header is asked of an agent', () => {
    const fields = { input: { type: 'http', method: 'post', bodyType: 'json', bodyFields: { prompt: { type: 'string', required: true }, 'size[x]': 'the size' }, queryParams: { prompt: 'string' }, headerFields: { 'X-PAYMENT': 'string', 'Content-Type': 'string', 'X-Key': 'string' } } };
    const listing = one({ accepts: [{ scheme: 'exact', network: 'base', maxAmountRequired: '1', asset: '0x1', payTo: '0x2', outputSchema: fields }] });
    expect(listing).toMatchObject({ method: 'POST', prices: [{ network: 'eip155:8453', amount: '1' }] });
    expect(listing?.input.parameters).toEqual([
      { argument: 'prompt', place: 'query', name: 'prompt' },
      { argument: 'X-Key', place: 'header', name: 'X-Key' },
      { argument: 'body_prompt', place: 'body', name: 'prompt' },
      { argument: 'size_x_', place: 'body', name: 'size[x]' },
    ]);
    expect(schemaOf(listing?.input.schemaText)).toMatchObject({ required: ['body_prompt'], properties: { size_x_: { type: 'string', description: 'the size' } } });
  });

  test('a template leads to another path than the address that is approved', () => {
    const at = (routeTemplate: string) => one({ extensions: { bazaar: { routeTemplate, info: { input: { type: 'http', method: 'GET', pathParams: { id: '7' } } } } } }, 'https://api.example.com/users/7');
    expect(at('/users/:id')).toMatchObject({ url: 'https://api.example.com/users/:id', input: { parameters: [{ argument: 'id', place: 'path' }] } });
    for (const hostile of ['//evil.example/:id', '/users/..%2f..%2fadmin', '/%2e%2e/:id', 'https://evil.example/', '/a b', '/%zz']) expect(at(hostile)?.url, hostile).toBe('https://api.example.com/users/7');
  });

  test('examples alone require what they show', () => {
    const input = v2({ info: { input: { type: 'http', method: 'GET', queryParams: { city: 'Rome', days: 3 } } } });
    expect(schemaOf(input?.schemaText)).toEqual({ type: 'object', properties: { city: { type: 'string', examples: ['Rome'] }, days: { type: 'number', examples: [3] } } });
  });
});
