import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkIn, pageOfLink } from '../../../src/main/host/deep-links.ts';
import { PAGE_PATHS } from '../../../src/shared/page-paths.ts';

test('a page of the dashboard has no link, or a link leads to a page that it does not have', () => {
  const pages = [...readFileSync(join(import.meta.dirname, '../../../src/renderer/dashboard/pages.ts'), 'utf8').matchAll(/\{ path: '([^']*)'/g)].map(([, path]) => path);
  expect(new Set<string | undefined>(pages)).toEqual(new Set(Object.values(PAGE_PATHS)));
  expect(Object.keys(PAGE_PATHS).map((name) => pageOfLink(`bursar://${name}`))).toEqual(Object.values(PAGE_PATHS));
});

test('a link in the form that a browser hands over is not understood', () => {
  expect(pageOfLink('bursar://history')).toBe('/history');
  expect(pageOfLink('bursar://history/')).toBe('/history');
  expect(pageOfLink('BURSAR://Overview')).toBe('/');
});

test.each([
  'bursar:history',
  'bursar://history?filter=x',
  'bursar://history#/wallets',
  'bursar://history/../wallets',
  'bursar://history//',
  'bursar://user@history',
  'bursar://history:80',
  'bursar://approve',
  'bursar://toString',
  'bursar://__proto__',
  'bursar://',
  ' bursar://history',
  'bursar://history\n',
  'https://history',
])('%s brings more into Bursar than the name of a page', (link) => {
  expect(pageOfLink(link)).toBeUndefined();
});

test('a text that no person wrote leads anywhere but to one of the pages', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string().map((rest) => `bursar://${rest}`)), (link) => {
      const page = pageOfLink(link);
      expect(page === undefined || Object.values(PAGE_PATHS).includes(page)).toBe(true);
    }),
  );
});

test('the link that Windows puts among the arguments is not found, or something else is taken for one', () => {
  expect(linkIn(['bursar.exe', '--hidden', 'bursar://history'])).toBe('bursar://history');
  expect(linkIn(['bursar.exe', '--home', '/tmp/bursar:x', 'C:\\bursar'])).toBeUndefined();
});
