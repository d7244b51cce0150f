import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectOf, setMembers, splice } from '../../../src/main/bridge/splice.ts';
import { retryText, toolCallParts, withId } from '../../../src/main/bridge/tool-call.ts';

const whole = (text: string) => ({ start: text.indexOf('{'), end: text.lastIndexOf('}') + 1 });
const key = fc.oneof(fc.string(), fc.constantFrom('x402/payment', '__proto__', 'a"b', 'id'));

test('members that are set are there afterwards, and nothing else changes', () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), fc.constantFrom('', ' ', '\n  '), (object, set, gap) => {
      const text = `${gap}${JSON.stringify(object, null, gap)}${gap}`;
      const raw = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, JSON.stringify(value)]));
      const result = JSON.parse(splice(text, setMembers(text, whole(text), raw))) as unknown;
      expect(result).toEqual(JSON.parse(JSON.stringify({ ...object, ...set })));
    }),
    { numRuns: 1000 },
  );
});

test('edits given in any order do what they would do alone', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 })), { maxLength: 8 }), fc.infiniteStream(fc.nat()), (parts, order) => {
      let text = '';
      let expected = '';
      const edits = parts.map(([keep, old, put]) => {
        text += keep;
        expected += keep + put;
        const edit = { start: text.length, end: text.length + old.length, text: put };
        text += `${old}|`;
        expected += '|';
        return { edit, rank: order.next().value as number };
      });
      expect(splice(text, edits.toSorted((a, b) => a.rank - b.rank).map(({ edit }) => edit))).toBe(expected);
    }),
  );
});

test('edits that overlap are refused, because one of them would be lost', () => {
  expect(() => splice('abcdef', [{ start: 0, end: 3, text: '' }, { start: 2, end: 4, text: '' }])).toThrow(RangeError);
  expect(() => splice('abc', [{ start: 2, end: 9, text: '' }])).toThrow(RangeError);
});

test('every value of a repeated key is replaced, so that no parser reads the old one', () => {
  const text = '{"a":1,"b":2,"a":3}';
  expect(splice(text, setMembers(text, whole(text), { a: '"new"' }))).toBe('{"a":"new","b":2,"a":"new"}');
});

test('a retry keeps every byte of the arguments', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.option(fc.dictionary(key, fc.jsonValue({ maxDepth: 1 })), { nil: undefined }), fc.constantFrom(0, 2), (args, meta, indent) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', arguments: args, ...(meta === undefined ? {} : { _meta: meta }) } };
      const request = JSON.stringify(call, null, indent);
      const proof = '{"n":12345678901234567890}';
      const { text, idText } = retryText(request, { meta: { 'x402/payment': proof } });
      expect(toolCallParts(text).argumentsText).toBe(toolCallParts(request).argumentsText);
      expect(text).toContain(proof);
      expect(idText).toMatch(/^"bursar-[-\da-f]{36}"$/);
      const expected = { ...call, id: JSON.parse(idText) as string, params: { ...call.params, _meta: { ...meta, 'x402/payment': JSON.parse(proof) as unknown } } };
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
    { numRuns: 500 },
  );
});

test('the answer of a retry gets back the id as the client wrote it', () => {
  expect(withId('{"result":{"id":"x"}, "id" : "bursar-1"}', '9007199254740993')).toBe('{"result":{"id":"x"}, "id" : 9007199254740993}');
});

test('raw members make an object', () => {
  expect(objectOf({ 'a"b': '[1]', c: 'null' })).toBe('{"a\\"b":[1],"c":null}');
});
