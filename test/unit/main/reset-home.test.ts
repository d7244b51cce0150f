import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHome } from '../../../src/main/adapters/home/home.ts';
import { planReset } from '../../../src/main/settings/reset-home.ts';

let around: string;
let folder: string;
const now = Date.parse('2026-11-21T10:00:00Z');

beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), 'bursar-reset-'));
  folder = join(around, 'home');
  mkdirSync(join(folder, 'run'), { recursive: true });
  for (const name of ['config.json', 'bursar.db', 'vault.json']) writeFileSync(join(folder, name), name);
});
afterEach(() => rmSync(around, { recursive: true, force: true }));

const never = () => Promise.reject(new Error('keys were forgotten'));

test.each(['testnet', 'mainnet'] as const)('ledger or keys of %s are deleted, or lie somewhere else than was said', async (environment) => {
  const reset = planReset({ folder, environment, now, forgetKeys: never });
  expect(basename(reset.keptIn)).toBe('home-kept-2026-11-21');
  expect(existsSync(join(folder, 'vault.json'))).toBe(true);
  await reset.run();
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(reset.keptIn, 'vault.json'), 'utf8')).toBe('vault.json');
  expect(readFileSync(join(reset.keptIn, 'bursar.db'), 'utf8')).toBe('bursar.db');
});

test('a second reset of one day writes over what the first one kept', async () => {
  const first = planReset({ folder, environment: 'mainnet', now, forgetKeys: never });
  await first.run();
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), 'second');
  const second = planReset({ folder, environment: 'mainnet', now, forgetKeys: never });
  await second.run();
  expect(second.keptIn).not.toBe(first.keptIn);
  expect(readFileSync(join(first.keptIn, 'config.json'), 'utf8')).toBe('config.json');
  expect(readFileSync(join(second.keptIn, 'config.json'), 'utf8')).toBe('second');
});

test('a window’s profile, which is open until the program is gone, keeps the rest from being put aside', async () => {
  mkdirSync(join(folder, 'electron'));
  const reset = planReset({ folder, environment: 'mainnet', now, forgetKeys: never });
  await reset.run();
  expect(readdirSync(folder)).toEqual(['electron']);
  expect(readdirSync(reset.keptIn).toSorted()).toEqual(['bursar.db', 'config.json', 'vault.json']);
});

/** A folder of real money as Bursar makes it, with a window's profile in it, so that it cannot go in one step. */
function realFolder(): void {
  rmSync(folder, { recursive: true });
  openHome({ environment: 'mainnet', home: folder }).close();
  for (const name of ['bursar.db', 'vault.json']) writeFileSync(join(folder, name), name);
  mkdirSync(join(folder, 'electron'));
}

test('a crash while a folder is put aside leaves its keys in one place and its ledger in another', () => {
  realFolder();
  const config = readFileSync(join(folder, 'config.json'), 'utf8');
  const place = join(around, 'home-kept-2026-11-21');
  mkdirSync(place);
  renameSync(join(folder, 'bursar.db'), join(place, 'bursar.db'));
  writeFileSync(join(folder, 'moving-to'), basename(place));

  const home = openHome({ environment: 'mainnet', home: folder });
  home.close();
  expect(['bursar.db', 'config.json', 'vault.json'].map((name) => existsSync(join(place, name)))).toEqual([true, true, true]);
  expect(readFileSync(join(place, 'config.json'), 'utf8')).toBe(config);
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toBe(config);
  expect(readdirSync(folder).toSorted()).toEqual(['config.json', 'electron', 'run']);
});

test('a file in the folder names another place, and the folder is moved there', () => {
  realFolder();
  for (const name of ['../elsewhere', 'elsewhere', `home-kept-../../elsewhere`]) {
    writeFileSync(join(folder, 'moving-to'), name);
    openHome({ environment: 'mainnet', home: folder }).close();
    expect(existsSync(join(folder, 'vault.json')), name).toBe(true);
  }
  expect(readdirSync(around)).toEqual(['home']);
});

test('a Bursar that put its folder aside takes the lock from the one that has begun in its place', async () => {
  realFolder();
  const home = openHome({ environment: 'mainnet', home: folder });
  await planReset({ folder, environment: 'mainnet', now, forgetKeys: never }).run();
  const next = openHome({ environment: 'mainnet', home: folder });
  home.close();
  expect(() => openHome({ environment: 'mainnet', home: folder })).toThrow(expect.objectContaining({ code: 'HOME_IN_USE' }));
  next.close();
});

test('play money stays, or is kept beside', async () => {
  let forgotten = false;
  const reset = planReset({ folder, environment: 'sandbox', now, forgetKeys: async () => void (forgotten = true) });
  await reset.run();
  expect(reset.keptIn).toBe('');
  expect(forgotten).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(around)).toEqual(['home']);
});

test('a keychain that refuses leaves a folder without its keys', async () => {
  await expect(planReset({ folder, environment: 'sandbox', now, forgetKeys: never }).run()).rejects.toThrow('keys were forgotten');
  expect(existsSync(join(folder, 'bursar.db'))).toBe(true);
});
