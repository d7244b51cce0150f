import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine } from '../../src/main/compose.ts';
import type { Engine } from '../../src/main/engine.ts';
import { programFiles } from '../../src/main/program-files.ts';
import type { Environment } from '../../src/shared/contract/app.ts';
import type { Policy } from '../../src/shared/policy/policy.ts';
import { runCli } from '../support/app-process.ts';

const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));
let home: string;
const open = (environment: Environment, newLedger = false): Promise<Engine> => openEngine({ environment, home, host: 'headless', files, version: '0', preferVault: true, newLedger, live: false });
const databaseFiles = () => ['', '-wal', '-shm'].map((suffix) => join(home, `bursar.db${suffix}`));

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bursar-lost-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('a deleted ledger beside a vault begins anew, with budgets that count from nothing (I3)', async () => {
  const first = await open('sandbox');
  const accounts = first.wallet.accounts();
  await first.close();
  const config = readFileSync(join(home, 'config.json'), 'utf8');
  for (const path of databaseFiles()) rmSync(path, { force: true });

  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(open('sandbox')).rejects.toMatchObject({ code: 'DATABASE_CORRUPT', hint: expect.stringContaining('ledger accept --new') });
    expect(databaseFiles().some((path) => existsSync(path))).toBe(false);
  }
  expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(config);
  await expect(runCli(['--home', home, 'account', 'list'])).rejects.toThrow('DATABASE_CORRUPT');

  // The owner goes on, and what happened stays on record.
  expect(await runCli(['--home', home, 'ledger', 'accept', '--new'])).toContain('Accepted.');
  const again = await open('sandbox');
  const reply = await again.router.dispatch('ledger.status', {}, { surface: 'cli', connection: 'c', host: 'headless' });
  expect(reply).toMatchObject({ ok: true, value: { findings: [], acceptances: [{ author: 'owner, cli', findings: [expect.stringContaining('is another, new one')] }] } });
  expect(again.wallet.accounts().map(({ address }) => address)).toEqual(accounts.map(({ address }) => address));
  await again.close();
});

test('an empty ledger that is put beside keys under a passphrase spends, once they are unlocked', async () => {
  const first = await open('testnet');
  await first.unlock('correct horse battery');
  await first.close();
  for (const path of databaseFiles()) rmSync(path, { force: true });
  await expect(open('testnet')).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
  // Somebody without the passphrase begins one: it pays nothing until the owner accepts it.
  const forced = await open('testnet', true);
  await forced.unlock('correct horse battery');
  const reply = await forced.router.dispatch('ledger.status', {}, { surface: 'cli', connection: 'c', host: 'headless' });
  expect(reply).toMatchObject({ ok: true, value: { findings: [expect.stringContaining('is another, new one')] } });
  await forced.close();
});

test("a lost ledger's journal is played into the new one", async () => {
  const first = await open('sandbox');
  await first.close();
  const [database, wal] = databaseFiles() as [string, string, string];
  rmSync(database);
  writeFileSync(wal, 'left behind');
  await (await open('sandbox', true)).close();
  expect(readFileSync(`${database}.lost-wal`, 'utf8')).toBe('left behind');
});

test('I7: a policy that was changed from outside is in force once the owner accepted the ledger, or at the next start', async () => {
  const owner = { surface: 'cli', connection: 'c', host: 'headless' } as const;
  const first = await open('sandbox');
  const before = await first.router.dispatch('policy.get', {}, owner);
  if (!before.ok) throw new Error(before.error.message);
  const { number, policy } = before.value as { readonly number: number; readonly policy: Policy };
  expect(await first.router.dispatch('policy.set', { basedOn: number, policy: { ...policy, otherwise: 'deny' } }, owner)).toMatchObject({ ok: true });
  await first.close();

  const db = new Database(databaseFiles()[0]);
  const triggers = db.prepare<[], { readonly name: string; readonly sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(`UPDATE policy_versions SET json = replace(json, '"otherwise":"deny"', '"otherwise":"allow"')`);
  for (const { sql } of triggers) db.exec(sql);
  db.close();

  const forged = await open('sandbox');
  expect(await forged.router.dispatch('policy.get', {}, owner)).toMatchObject({ ok: true, value: { policy: { otherwise: 'allow' } } });
  expect(await forged.router.dispatch('ledger.accept', {}, owner)).toMatchObject({ ok: true, value: { findings: [] } });
  expect(await forged.router.dispatch('policy.get', {}, owner)).toMatchObject({ ok: true, value: { policy: { otherwise: 'ask' } } });
  await forged.close();
  const again = await open('sandbox');
  expect(await again.router.dispatch('policy.get', {}, owner)).toMatchObject({ ok: true, value: { policy: { otherwise: 'ask' }, author: 'Bursar, after the ledger was accepted' } });
  await again.close();
});
