import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
  expect(readdirSync(reset.keptIn).toSorted()).toEqual(['bursar.db', 'config.json', 'run', 'vault.json']);
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
