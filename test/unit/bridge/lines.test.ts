import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSplitter, toOneLine } from '../../../src/main/bridge/lines.ts';

/** Cuts bytes at arbitrary places, within characters too. */
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

test('lines come out whole wherever the chunks are cut', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.array(fc.nat()), (lines, end, places) => {
      const seen: string[] = [];
      const push = lineSplitter(1 << 20, { onLine: (text) => seen.push(text), onTooLong: () => expect.unreachable() });
      for (const chunk of cut(Buffer.from(lines.map((text) => text + end).join('')), places)) push(chunk);
      expect(seen).toEqual(lines.filter((text) => text !== ''));
    }),
  );
});

test('a line above the limit is left out with its id, and the lines around it are not, wherever the chunks are cut', () => {
  const filler = 'x'.repeat(5000);
  const lines: [string, string | undefined][] = [
    [`{"jsonrpc":"2.0","id":7,"method":"${filler}"}`, '7'],
    [`{ "id" : "a-b" , "result" : "${filler}" }`, '"a-b"'],
    [`{"method":"x","params":{"a":"${filler}"},"jsonrpc":"2.0","id":12}`, '12'],
    [`{"result":{"a":"${filler}"},"id":3,"jsonrpc":"2.0"}\r`, '3'],
    [`{"jsonrpc":"2.0","method":"x","params":{"a":"${filler}","id":5}}`, undefined],
    [filler, undefined],
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(lines), fc.array(fc.nat()), (chosen, places) => {
      const seen: string[] = [];
      const ids: (string | undefined)[] = [];
      const push = lineSplitter(2000, { onLine: (text) => seen.push(text), onTooLong: (id) => ids.push(id) });
      for (const chunk of cut(Buffer.from(chosen.map(([text]) => `before\n${text}\nafter\n`).join('')), places)) push(chunk);
      expect(ids).toEqual(chosen.map(([, id]) => id));
      expect(seen).toEqual(chosen.flatMap(() => ['before', 'after']));
    }),
  );
});

test('JSON printed over several lines means the same on one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const one = toOneLine(JSON.stringify(value, null, 2).replaceAll('\n', '\r\n'));
      expect(one).not.toMatch(/[\r\n]/);
      expect(JSON.parse(one)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
