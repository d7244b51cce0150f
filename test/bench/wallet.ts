import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBazaarPage } from '../../src/core/discovery/read-page.ts';
import { createVault } from '../../src/main/adapters/keys/vault.ts';
import { createBazaarCache } from '../../src/main/adapters/store/bazaar-cache.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { manyEntries } from '../support/bazaar-server.ts';
import { median, milliseconds, percentile, rounded } from './statistics.ts';

const ENTRIES = 5_000;
const SEARCHES = 500;
const UNLOCKS = 5;
/** From one letter that all entries have to several words that few have. */
const QUESTIONS = ['a', 'weather', 'weather forecast', 'fore', 'the of and', 'currency conversion for agents', 'nothing-of-the-kind', 'music generation number 4', 'api example com', 'sentiment analysis with sources', ''];

/** How long the owner waits: for the keys to unlock, and for a search among 5,000 entries of Bazaars. */
export async function wallet(): Promise<{ readonly json: object; readonly text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-wallet-'));
  try {
    const [unlockMs, searchP95Ms] = [await unlocking(folder), await searching(folder)];
    return {
      json: { unlockMs, searchP95Ms },
      text: `unlocking the keys: ${unlockMs} ms (median of ${UNLOCKS}, limit 600)\na search in ${ENTRIES} entries: ${searchP95Ms} ms (95th percentile of ${SEARCHES}, limit 50)`,
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
