import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines, foldSame } from '../../../../src/renderer/dashboard/line-diff.ts';

const side = (lines: ReturnType<typeof diffLines>, without: 'added' | 'removed') => lines.filter(({ kind }) => kind !== without).map(({ text }) => text);

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

test('both files can be read back from the comparison', () => {
  const text = fc.array(fc.constantFrom('{', '}', '  "a": 1', '  "b": 2', ''), { maxLength: 20 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const before = a.join('\n');
      const after = b.join('\n');
      const lines = diffLines(before, after);
      expect(side(lines, 'added')).toEqual(linesOf(before));
      expect(side(lines, 'removed')).toEqual(linesOf(after));
    }),
  );
});

test('an inserted entry shows as added lines alone', () => {
  expect(diffLines('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n')).toEqual([
    { kind: 'same', text: '{' },
    { kind: 'removed', text: '  "a": 1' },
    { kind: 'added', text: '  "a": 1,' },
    { kind: 'added', text: '  "b": 2' },
    { kind: 'same', text: '}' },
  ]);
});

test('folding hides unchanged lines only, and none goes missing', () => {
  const before = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const all = diffLines(before.join('\n'), before.with(20, 'changed').join('\n'));
  const parts = foldSame(all);
  expect(parts.map((part) => (part.kind === 'folded' ? part.count : part.lines.length))).toEqual([17, 8, 16]);
});
