import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringAt, textAt } from '../../../src/main/bridge/json-text.ts';
import { scanPayload, type Field } from '../../../src/main/bridge/scan.ts';

/** Is it JSON, and no batch within a batch? */
const isPayload = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return !Array.isArray(value) || !value.some(Array.isArray);
  } catch {
    return false;
  }
};
const accepts = (text: string): boolean => {
  try {
    scanPayload(text);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: /^\s*\[.*\[/s.test(text) ? expect.stringMatching(/^(?:JSON_INVALID|MESSAGE_MALFORMED)$/) : 'JSON_INVALID' });
    return false;
  }
};

/** JSON text with spaces wherever the grammar allows them. */
const spaced = (value: unknown, space: string): string => {
  if (Array.isArray(value)) return `[${space}${value.map((item) => spaced(item, space)).join(`${space},${space}`)}${space}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${space}${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}${space}:${space}${spaced(item, space)}`).join(`${space},${space}`)}${space}}`;
};
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

test('a batch within a batch is refused at its first bracket, however deep', () => {
  for (const text of ['[[]]', ' [ {"id":1}, [ {"id":2} ] ]', '['.repeat(5_000_000)]) expect(() => scanPayload(text)).toThrow(expect.objectContaining({ code: 'MESSAGE_MALFORMED' }));
  expect(scanPayload('[{"params":[[]]}]').messages).toHaveLength(1);
});

describe('the scanner refuses exactly what JSON.parse refuses, and batches within batches', () => {
  test('for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => accepts(text) === isPayload(text)), { numRuns: 2000 });
  });
  test('for texts made of JSON\'s own characters', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'u00e9', 'null', 'true', 'false', '0', '-', '1', '.', 'e', '+', ' ', '\n', 'id', '\u0001', '\u00a0', '\ufeff');
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')), (text) => accepts(text) === isPayload(text)), { numRuns: 20_000 });
  });
  test('for long strings, with more escapes than are looked at together', () => {
    const piece = fc.constantFrom('word ', ' '.repeat(31), 'x'.repeat(40), '\\n', '\\"', '\\\\', '\\t'.repeat(33), '\\u00e9', '\\uD83D', 'é', '世');
    const wrong = fc.constantFrom('', '', '', '\\', '\\x', '\\u12', '\n', '\u0001', '"');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), wrong, fc.array(piece, { maxLength: 3 }), (before, amiss, after) => {
        const string = `"${before.join('')}${amiss}${after.join('')}"`;
        return [string, string.slice(0, -1), `{"id":1,${string}:${string}}`].every((text) => accepts(text) === isPayload(text));
      }),
      { numRuns: 4000 },
    );
  });
  test('for JSON with one character changed, added or taken away', () => {
    fc.assert(
      fc.property(fc.json(), space, fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', ':'), fc.boolean(), (json, gap, at, put, replace) => {
        const text = spaced(JSON.parse(json), gap);
        const index = at % (text.length + 1);
        const changed = text.slice(0, index) + put + text.slice(index + (replace ? 1 : 0));
        return accepts(changed) === isPayload(changed);
      }),
      { numRuns: 5000 },
    );
  });
});

const member = fc.jsonValue({ maxDepth: 3 });
const message = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
    method: fc.oneof(fc.string(), fc.constant('tools/call')),
    params: fc.oneof(member, fc.record({ name: member, arguments: member, uri: member, requestId: member, progressToken: member, _meta: fc.oneof(member, fc.record({ progressToken: member, 'io.modelcontextprotocol/protocolVersion': fc.string() }, { requiredKeys: [] })), other: member }, { requiredKeys: [] })),
    result: fc.oneof(member, fc.record({ isError: member, content: member, structuredContent: member, _meta: member, protocolVersion: member, error: member }, { requiredKeys: [] })),
    error: fc.oneof(member, fc.record({ code: member, message: member, data: member }, { requiredKeys: [] })),
    extra: member,
  },
  { requiredKeys: [] },
);
const FIELDS: Field[] = ['id', 'method', 'params', 'result', 'error', 'params.name', 'params.arguments', 'params._meta', 'params.uri', 'params.requestId', 'params.progressToken', 'result.isError', 'result.structuredContent', 'result.content', 'result._meta', 'result.protocolVersion', 'result.error', 'error.code', 'error.message', 'error.data'];
const META_FIELDS: [Field, string][] = [['params._meta.progressToken', 'progressToken'], ['params._meta.io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/protocolVersion']];

/** What JSON.parse finds at a path, or `undefined` where an object is missing on the way. */
const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.hasOwn(inner, key) ? (inner as Record<string, unknown>)[key] : undefined), value);

test('every span holds what JSON.parse finds in its place', () => {
  fc.assert(
    fc.property(message, space, (value, gap) => {
      const text = gap + spaced(value, gap) + gap;
      const parsed: unknown = JSON.parse(text);
      const payload = scanPayload(text);
      expect(payload.batch).toBe(false);
      const [scan] = payload.messages;
      for (const [field, path] of [...FIELDS.map((name): [Field, string[]] => [name, name.split('.')]), ...META_FIELDS.map(([name, key]): [Field, string[]] => [name, ['params', '_meta', key]])]) {
        const span = scan?.fields[field];
        const expected = at(parsed, path);
        expect(span === undefined ? undefined : JSON.parse(textAt(text, span)), field).toEqual(expected);
        expect(stringAt(text, span), field).toEqual(typeof expected === 'string' ? expected : undefined);
      }
      expect(scan?.duplicates).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test('a batch yields its messages, each with its own span', () => {
  fc.assert(
    fc.property(fc.array(message), space, (values, gap) => {
      const text = spaced(values, gap);
      const { batch, messages } = scanPayload(text);
      expect(batch).toBe(true);
      expect(messages.map(({ span }) => JSON.parse(textAt(text, span)) as unknown)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['{"id":1,"method":"x"}', 'request'],
  ['{"id":null,"method":"x"}', 'request'],
  ['{"method":"x"}', 'notification'],
  ['{"id":1,"result":null}', 'response'],
  ['{"id":null,"error":{}}', 'response'],
  ['{"id":1}', 'other'],
  ['17', 'other'],
])('%s is taken for a %s', (text, kind) => {
  expect(scanPayload(text).messages[0]?.kind).toBe(kind);
});

test.each([
  ['{"id":1,"id":2}', ['id']],
  ['{"id":1,"\\u0069d":2}', ['id']],
  ['{"method":"tools/call","params":{"name":"a","arguments":{"to":1,"x":{},"to":2},"name":"b"}}', ['params.arguments.to', 'params.name']],
  ['{"params":{"_meta":{"a":1,"a":1}}}', ['params._meta.a']],
  ['{"result":{"structuredContent":{"accepts":[],"accepts":[]},"_meta":{"k":0,"k":0},"isError":true,"isError":false}}', ['result.structuredContent.accepts', 'result._meta.k', 'result.isError']],
  ['{"error":{"code":402,"data":{"payTo":"a","payTo":"b"}}}', ['error.data.payTo']],
])('keys that two parsers could read differently are reported: %s', (text, duplicates) => {
  expect(scanPayload(text).messages[0]?.duplicates).toEqual(duplicates);
});

test('of a repeated object only what the last one holds counts', () => {
  const text = '{"params":{"name":"first","_meta":{"progressToken":1}},"params":{"uri":"u"}}';
  const fields = scanPayload(text).messages[0]?.fields;
  expect(Object.keys(fields ?? {}).toSorted()).toEqual(['params', 'params.uri']);
});

test('depth costs no stack, and length no more than linear time', () => {
  const deep = (levels: number): string => `{"id":1,"result":${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}}`;
  expect(scanPayload(deep(500_000)).messages[0]?.kind).toBe('response');
  // The best of several, because other processes share the machine.
  const time = (text: string): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const begun = performance.now();
        scanPayload(text);
        return performance.now() - begun;
      }),
    );
  const wide = (members: number): string => `{"id":1,"result":{"content":[${Array.from({ length: members }, (_, i) => `{"k${i}":"${'v'.repeat(20)}\\n"}`).join(',')}]}}`;
  const [small, large] = [time(wide(20_000)), time(wide(200_000))];
  // Ten times the text; quadratic work would take a hundred times as long.
  expect(large).toBeLessThan(Math.max(small, 2) * 50);
});
