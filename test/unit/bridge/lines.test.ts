import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSplitter, toOneLine } from '../../../src/main/bridge/lines.ts';

/** Cuts bytes at arbitrary places, within characters too. */
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
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

test('a line above the limit is reported once and nothing after it is taken', () => {
  for (const chunks of [['123456\n'], ['123', '456', '\nab\n'], ['ab\n123456\n', 'x\n']]) {
    const seen: string[] = [];
    let reports = 0;
    const push = lineSplitter(5, { onLine: (text) => seen.push(text), onTooLong: () => void reports++ });
    for (const chunk of chunks) push(Buffer.from(chunk));
    expect(reports).toBe(1);
    expect(seen).toEqual(chunks[0]?.startsWith('ab') ? ['ab'] : []);
  }
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
