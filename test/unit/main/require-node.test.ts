import { expect, test } from 'vitest';
import { isNodeNewEnough } from '../../../src/main/require-node.ts';

test.each([
  ['20.19.5', false],
  ['22.12.9', false],
  ['22.13.0', true],
  ['23.0.0', true],
  ['24.1.0', true],
])('Node %s: crashes in SQLite, or is turned away', (version, enough) => {
  expect(isNodeNewEnough(version)).toBe(enough);
});
