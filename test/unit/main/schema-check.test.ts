import { expect, test } from 'vitest';
import { createSchemaCheck, createSchemas } from '../../../src/main/adapters/schema-check.ts';

/** So long that a busy machine does not decide a test. */
const check = createSchemaCheck(20_000);
const problem = (schema: unknown, value: unknown): Promise<string | undefined> => check(JSON.stringify(schema), JSON.stringify(value));
const weather = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };

test('an answer that is not what its tool declares passes, or one that is does not', async () => {
  expect(await problem(weather, { degrees: 21, more: true })).toBeUndefined();
  expect(await problem(weather, { degrees: 'warm' })).toBe('/degrees must be number');
  expect(await problem(weather, {})).toBe("it must have required property 'degrees'");
  expect(await problem({ $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }, [1])).toBe('/0 must be string');
  expect(await problem({ $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] }, [1])).toBe('/0 must be string');
});

test.each<[string, unknown]>([
  ['is no schema', { type: 7 }],
  ['is an array', [weather]],
  ['refers to another server', { $ref: 'https://example.com/schema.json' }],
  ['is written in a dialect that is not known', { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'string' }],
  ['knows a format that a validator may ignore', { properties: { day: { format: 'date' } } }],
  ['names itself as one before it did', { $id: 'https://example.com/a', type: 'object' }],
])('a schema that %s: an honest answer is called a misfit, or the check throws', async (_what, schema) => {
  expect(await problem(schema, { day: 'Friday' })).toBeUndefined();
  expect(await problem(schema, { day: 'Sunday' })).toBeUndefined();
});

test.each<[string, unknown, boolean]>([
  ['a schema', weather, true],
  ['a tree', { type: 'object', properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: { properties: { t: { $ref: '#/$defs/t' } } } } }, true],
  ['no schema', { type: 7 }, false],
  ['a schema of another server', { $ref: 'https://example.com/schema.json' }, false],
  ['a pattern that is none', { properties: { a: { pattern: '(' } } }, false],
])('%s passes for what it is not', async (_what, schema, isUsable) => {
  expect(await createSchemas(20_000).isUsable(JSON.stringify(schema))).toBe(isUsable);
});

test('a text that is no JSON makes the check throw', async () => {
  expect(await check('{', '{}')).toBeUndefined();
  expect(await check(JSON.stringify(weather), '{')).toBeUndefined();
});

test.each<[string, unknown, unknown]>([
  ['a pattern that backtracks for ever', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(60)}!` }],
  [
    'references that double at every level',
    { $ref: '#/$defs/n40', $defs: { n0: { type: 'string' }, ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`n${n + 1}`, { anyOf: [{ $ref: `#/$defs/n${n}` }, { $ref: `#/$defs/n${n}` }] }])) } },
    {},
  ],
])('%s: a server stops the wallet with its schema', async (_what, schema, value) => {
  const limitMs = 1_000;
  const limited = createSchemaCheck(limitMs);
  const texts = [JSON.stringify(schema), JSON.stringify(value)] as const;
  // Without a limit the first check takes hours.
  expect(await limited(...texts)).toBeUndefined();
  const begun = performance.now();
  for (let turn = 0; turn < 100; turn++) expect(await limited(...texts)).toBeUndefined();
  expect(performance.now() - begun, 'it is tried again each time').toBeLessThan(limitMs * 20);
}, 60_000);
