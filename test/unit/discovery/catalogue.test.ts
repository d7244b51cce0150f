import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBazaarPage } from '../../../src/core/discovery/read-page.ts';
import { createApprovedEndpoints } from '../../../src/main/adapters/store/approved-endpoints.ts';
import { createBazaarCache } from '../../../src/main/adapters/store/bazaar-cache.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createCatalogue } from '../../../src/main/discovery/catalogue.ts';
import { createSourceReader, type SourcePorts } from '../../../src/main/discovery/read-source.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { entry, manyEntries, startBazaar } from '../../support/bazaar-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const log = { debug() {}, info() {}, warn() {}, error(message: string, fields?: object) { throw new Error(`${message} ${JSON.stringify(fields)}`); } };
const listingsOf = (entries: readonly unknown[]) => readBazaarPage(JSON.stringify(entries)).listings;

function openStore() {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-catalogue-'));
  const db = openDatabase(join(folder, 'bursar.db'));
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  return db;
}

async function world(entries: readonly unknown[] = [], ports: Partial<SourcePorts> = {}) {
  const [db, clock, bazaar] = [openStore(), new ManualClock(), await startBazaar(entries)];
  const urls = [bazaar.url];
  const reader = createSourceReader({ realMoney: false, isOpen: () => true, resolve: async () => [{ address: '127.0.0.1', family: 4 }], ...ports });
  const catalogue = createCatalogue({ cache: createBazaarCache(db, clock), reader, urls: () => urls, clock, log, changed: () => {} });
  onTestFinished(async () => {
    await catalogue.close();
    await bazaar.close();
  });
  const search = async (query = '', change: object = {}) => (await catalogue.search({ query, limit: 100, offset: 0, refresh: 'all', ...change })).found.map(({ listing }) => listing.url);
  return { db, clock, bazaar, urls, catalogue, search };
}

test('pages are lost, or an entry that is gone stays', async () => {
  const { bazaar, search, catalogue } = await world(manyEntries(450));
  await search();
  expect(catalogue.sources()).toMatchObject([{ entries: 450, skipped: 0, problem: '', leftOut: false }]);
  bazaar.entries = manyEntries(449);
  await search();
  expect(catalogue.sources()).toMatchObject([{ entries: 449 }]);
});

test('a total that lies, or the same page for ever, is read without end', async () => {
  const { bazaar, search, catalogue } = await world();
  const page = JSON.stringify({ items: manyEntries(100), pagination: { total: 1_000_000 } });
  bazaar.answer = (_request, response) => (response.end(page), true);
  await search();
  expect(catalogue.sources()).toMatchObject([{ entries: 100, problem: '' }]);
  expect(bazaar.asked.length).toBeLessThan(10);
  bazaar.asked.splice(0);
  bazaar.answer = (_request, response) => (response.end('{"items":[{},{},{}],"pagination":{"total":1000000}}'), true);
  await search();
  expect(bazaar.asked.length).toBeLessThan(10);
  expect(catalogue.sources()).toMatchObject([{ entries: 0, problem: '' }]);
  // A short total ends nothing before it.
  bazaar.answer = (request, response) => {
    const offset = Number(new URL(request.url ?? '', 'http://x').searchParams.get('offset'));
    return response.end(JSON.stringify({ items: manyEntries(300).slice(offset, offset + 100) })), true;
  };
  await search();
  expect(catalogue.sources()).toMatchObject([{ entries: 300 }]);
});

test('more entries than fit are read for ever, and nobody is told', async () => {
  const { bazaar, search, catalogue } = await world();
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  bazaar.answer = (request, response) => {
    const offset = Number(new URL(request.url ?? '', 'http://x').searchParams.get('offset'));
    return response.end(JSON.stringify({ items: many.map((index) => entry(`https://a.example/${offset + index}`)) })), true;
  };
  await search();
  expect(catalogue.sources()).toMatchObject([{ entries: 20_000, leftOut: true }]);
}, 120_000);

test.each<[string, (response: { writeHead(status: number, headers?: object): { end(text?: string): void }; destroy(): void }) => void, RegExp]>([
  ['an error', (response) => response.writeHead(500).end('no'), /HTTP 500/],
  ['a page', (response) => response.writeHead(200).end('<html>'), /not JSON/],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(), /HTTP 302/],
  ['more than anybody reads', (response) => response.writeHead(200).end('x'.repeat(11 * 1024 * 1024)), /more than 10485760 bytes/],
  ['nothing', (response) => response.destroy(), /could not be reached/],
])('a source that sends %s loses what it listed before, or says nothing of it', async (_what, answer, problem) => {
  const { bazaar, clock, search, catalogue } = await world([entry('https://a.example/x')]);
  await search();
  const fetchedAt = clock.now();
  await clock.advance(1000);
  bazaar.answer = (_request, response) => (answer(response), true);
  expect(await search()).toEqual(['https://a.example/x']);
  expect(catalogue.sources()).toMatchObject([{ entries: 1, fetchedAt, problem: expect.stringMatching(problem) }]);
});

test('I7: a source leads to this machine, or real money is told of over a line that anybody can read', async () => {
  const hidden = await world([entry('https://a.example/x')], { isOpen: () => false });
  expect(await hidden.search()).toEqual([]);
  expect(hidden.bazaar.asked).toEqual([]);
  expect(hidden.catalogue.sources()).toMatchObject([{ problem: expect.stringContaining('private network') }]);
  const named = await world([], { isOpen: () => false });
  named.urls.splice(0, 1, named.bazaar.url.replace('127.0.0.1', 'bazaar.example'));
  await named.search();
  expect(named.bazaar.asked).toEqual([]);
  const plain = await world([], { isOpen: () => false, realMoney: true, resolve: async () => [{ address: '93.184.216.34', family: 4 }] });
  plain.urls.splice(0, 1, 'http://bazaar.example');
  await plain.search();
  expect(plain.catalogue.sources()).toMatchObject([{ problem: expect.stringContaining('https') }]);
});

test('nobody is asked although the list is old, or everybody although it is new', async () => {
  const { bazaar, clock, search } = await world([entry('https://a.example/x')]);
  await search('', { refresh: 'stale' });
  const first = bazaar.asked.length;
  expect(first).toBeGreaterThan(0);
  await search('', { refresh: 'stale' });
  await search('', { refresh: 'cache' });
  expect(bazaar.asked).toHaveLength(first);
  await clock.advance(61 * 60_000);
  await search('', { refresh: 'stale' });
  await expect.poll(() => bazaar.asked.length).toBeGreaterThan(first);
});

test('words are not found, the worse match comes first, or a question is syntax', async () => {
  const { search } = await world([
    entry('https://a.example/one', { description: 'News and a little weather.' }),
    entry('https://a.example/weather', { serviceName: 'Weather house', description: 'Forecasts.' }),
    entry('https://a.example/uebersetzung', { description: 'Übersetzt Texte ins Französische.' }),
  ]);
  expect(await search('weather')).toEqual(['https://a.example/weather', 'https://a.example/one']);
  expect(await search('weath', { refresh: 'cache' })).toHaveLength(2);
  expect(await search('ubersetzt FRANZOSISCHE', { refresh: 'cache' })).toEqual(['https://a.example/uebersetzung']);
  expect(await search('weather nothing-of-the-kind', { refresh: 'cache' })).toHaveLength(2);
  for (const hostile of ['"', 'weather"', 'weather OR', 'NEAR(', 'name:weather', '* * *', '(', "'; DROP TABLE payments; --", 'x'.repeat(5000), '\u0000', 'a AND NOT b']) await expect(search(hostile, { refresh: 'cache' }), hostile).resolves.toBeInstanceOf(Array);
});

test('what a source alone finds is lost, or one without a search is asked again and again', async () => {
  const { bazaar, search } = await world([entry('https://a.example/x')]);
  await search('meaning', { refresh: 'stale' });
  await search('meaning', { refresh: 'stale' });
  expect(bazaar.asked.filter((path) => path.startsWith('/discovery/search'))).toHaveLength(1);
  const other = await world([]);
  other.bazaar.search = () => [entry('https://a.example/deep', { description: 'Other words.' })];
  expect(await other.search('meaning', { refresh: 'stale' })).toEqual(['https://a.example/deep']);
});

test('a silent source holds up every search', async () => {
  const { bazaar, clock, search } = await world([entry('https://a.example/x', { description: 'Weather.' })]);
  await search();
  bazaar.answer = () => true;
  expect(await search('weather', { refresh: 'stale' })).toHaveLength(1);
  bazaar.asked.splice(0);
  expect(await search('weather', { refresh: 'stale' })).toHaveLength(1);
  expect(bazaar.asked).toEqual([]);
  await clock.advance(6 * 60_000);
  bazaar.answer = undefined;
  await search('weather', { refresh: 'stale' });
  expect(bazaar.asked).toHaveLength(1);
});

test('the list of a source that the owner took away is still searched', async () => {
  const { urls, catalogue, search } = await world([entry('https://a.example/x')]);
  expect(await search()).toHaveLength(1);
  urls.splice(0);
  catalogue.sourcesChanged();
  expect(await search()).toEqual([]);
});

test('an endpoint that two sources list comes twice', () => {
  const cache = createBazaarCache(openStore(), new ManualClock());
  for (const source of ['https://one.example', 'https://two.example']) cache.add(source, listingsOf([entry('https://a.example/x'), entry('https://a.example/y')]), 1);
  expect(cache.search({ query: '', limit: 10, offset: 0 }).found).toHaveLength(2);
  expect(cache.search({ query: '', limit: 1, offset: 1 })).toMatchObject({ found: [{}], more: false });
  expect(cache.search({ query: '', limit: 1, offset: 0 })).toMatchObject({ found: [{}], more: true });
});

test('I2: a tool gets another name, or its name another address', () => {
  const db = openStore();
  const endpoints = createApprovedEndpoints(db, new ManualClock());
  const [listing, other] = listingsOf([entry('https://a.example/forecast'), entry('https://b.example/forecast')]);
  const approve = (which: typeof listing, group = 'default') => endpoints.approve({ group, listing: which!, schemaProblem: '' });
  const first = approve(listing);
  expect(approve(other)).toMatchObject({ tool: 'forecast_b_example' });
  endpoints.remove(first.id, { now: false });
  expect(approve(other, 'second')).toMatchObject({ tool: 'forecast' });
  expect(endpoints.inForce('default').map(({ tool }) => tool)).toEqual(['forecast_b_example']);
  expect(approve(listing)).toMatchObject({ id: first.id, tool: 'forecast', removedNow: false });
  expect(() => db.prepare("UPDATE approved_endpoints SET url = 'https://evil.example/' WHERE id = ?").run(first.id)).toThrow(/keeps its name/);
  expect(() => endpoints.remove(99, { now: true })).toThrow(BursarError);
});
