import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBazaarPage } from '../../src/core/discovery/read-page.ts';
import { createVault } from '../../src/main/adapters/keys/vault.ts';
import { createBazaarCache } from '../../src/main/adapters/store/bazaar-cache.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { manyEntries } from '../support/bazaar-server.ts';
import { sweepMany } from '../support/many-escrows.ts';
import { median, milliseconds, percentile, rounded } from './statistics.ts';

const ENTRIES = 5_000;
const SEARCHES = 500;
const UNLOCKS = 5;
const LINKS = 10_000;
/** The most that anything else, a payment too, may wait while the links are looked at. */
const MOST_BLOCKED_MS = 250;
/** From one letter that all entries have to several words that few have. */
const QUESTIONS = ['a', 'weather', 'weather forecast', 'fore', 'the of and', 'currency conversion for agents', 'nothing-of-the-kind', 'music generation number 4', 'api example com', 'sentiment analysis with sources', ''];

/** How long the owner waits: for the keys to unlock, for a search among 5,000 entries of Bazaars, and while 10,000 open links are looked at. */
export async function wallet(): Promise<{ readonly json: object; readonly text: string; readonly ok: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-wallet-'));
  try {
    const [unlockMs, searchP95Ms] = [await unlocking(folder), await searching(folder)];
    const { looked, sweepMs, longestBlockMs } = await sweepMany(folder, LINKS);
    if (looked !== LINKS) throw new Error(`the sweep looked at ${looked} of ${LINKS} links`);
    return {
      json: { unlockMs, searchP95Ms, sweepMs, sweepLongestBlockMs: longestBlockMs },
      text: [
        `unlocking the keys: ${unlockMs} ms (median of ${UNLOCKS}, limit 600)`,
        `a search in ${ENTRIES} entries: ${searchP95Ms} ms (95th percentile of ${SEARCHES}, limit 50)`,
        `a look at ${LINKS} open links: ${sweepMs} ms, in which nothing else waited longer than ${longestBlockMs} ms (limit ${MOST_BLOCKED_MS})`,
      ].join('\n'),
      ok: unlockMs <= 600 && searchP95Ms <= 50 && longestBlockMs <= MOST_BLOCKED_MS,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function unlocking(folder: string): Promise<number> {
  const vault = createVault(join(folder, 'vault.json'));
  await vault.create('correct horse battery staple');
  const times: number[] = [];
  for (let turn = 0; turn < UNLOCKS; turn++) {
    vault.lock();
    times.push(await milliseconds(async () => {
      if (!(await vault.unlock('correct horse battery staple'))) throw new Error('the passphrase was not taken');
    }));
  }
  return rounded(median(times));
}

async function searching(folder: string): Promise<number> {
  const db = openDatabase(join(folder, 'bursar.db'));
  try {
    const cache = createBazaarCache(db, { now: () => Date.now() });
    const { listings, skipped } = readBazaarPage(JSON.stringify(manyEntries(ENTRIES)));
    if (skipped > 0) throw new Error('an entry cannot be read');
    cache.add('https://bazaar.example', listings, Date.now());
    const times: number[] = [];
    for (let turn = 0; turn < SEARCHES; turn++) {
      const query = QUESTIONS[turn % QUESTIONS.length] ?? '';
      times.push(await milliseconds(() => cache.search({ query, limit: 25, offset: 0 })));
    }
    return rounded(percentile(times, 0.95));
  } finally {
    db.close();
  }
}
