import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../../src/shared/errors/codes.ts';

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
const [own = '', others = ''] = page.split('## Codes of other wallets');
const rows = own.split('\n').flatMap((line) => {
  const cells = line.split('|').slice(1, -1).map((cell) => cell.trim());
  const [code] = /^`([A-Z_]+)`$/.exec(cells[0] ?? '')?.slice(1) ?? [];
  return code === undefined ? [] : [{ code, cells }];
});

test('a code has no row in docs/errors.md, or a row no code', () => {
  expect(rows.map(({ code }) => code).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
});

test('a row leaves a question open', () => {
  for (const { code, cells } of rows) {
    expect([code, cells.length, cells.filter((cell) => cell === '')]).toEqual([code, 5, []]);
    expect(['yes', 'later', 'no'], code).toContain(cells[4]);
  }
});

test('a code of another wallet is called like none of ours', () => {
  const named = others.split('\n').flatMap((line) => [...(line.split('|')[3] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => code));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((code) => !Object.hasOwn(ERROR_CODES, code))).toEqual([]);
});

test('a hint is no sentence that says what to do next', () => {
  for (const [code, hint] of Object.entries(ERROR_CODES)) expect(hint, code).toMatch(/^[A-Z].{8,}[.]$|^[A-Z].+: .+$|^Nothing is paid until.+$/);
});
