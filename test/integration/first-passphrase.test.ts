import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { openEngine } from '../../src/main/compose.ts';
import type { Engine } from '../../src/main/engine.ts';
import { programFiles } from '../../src/main/program-files.ts';
import { setupCodeToShow } from '../../src/main/ready-text.ts';
import type { Caller } from '../../src/main/rpc/caller.ts';
import { runCli } from '../support/app-process.ts';
import { expectNoLeak, noteOwner } from '../support/home-leaks.ts';

const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));
const passphrase = 'correct horse battery';
const callers = {
  page: { surface: 'dashboard', connection: 'web:1', host: 'headless' },
  socket: { surface: 'cli', connection: 'socket:1', host: 'headless' },
  socketOfElectron: { surface: 'cli', connection: 'socket:2', host: 'electron' },
  window: { surface: 'dashboard', connection: 'window:1', host: 'electron' },
  approval: { surface: 'approval', connection: 'web:2', host: 'headless' },
} as const satisfies Record<string, Caller>;

let engine: Engine | undefined;
let home = '';
/** A folder of real money whose keys will lie in a vault: nothing is in it before the owner's first passphrase. */
async function open(host: 'headless' | 'electron' = 'headless'): Promise<Engine> {
  home = mkdtempSync(join(tmpdir(), 'bursar-first-'));
  engine = await openEngine({ environment: 'mainnet', home, host, files, version: '0', preferVault: true, live: false });
  return engine;
}
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  noteOwner(home, passphrase);
  await expectNoLeak(home);
  rmSync(home, { recursive: true, force: true });
});
const set = (caller: Caller, code?: string) => engine!.router.dispatch('owner.setPassphrase', { passphrase, ...(code !== undefined && { code }) }, caller);

test('whoever reaches the page or the socket first sets the passphrase of real money (I7)', async () => {
  const { wallet, setupCode, router } = await open();
  for (const caller of [callers.page, callers.socket, callers.socketOfElectron]) {
    for (const code of [undefined, '', 'AAAA-AAAA-AAAA-AAAA', setupCode.slice(0, -1)]) {
      expect(await set(caller, code)).toMatchObject({ ok: false, error: { code: 'SETUP_CODE_WRONG' } });
    }
    expect(await router.dispatch('owner.status', {}, caller)).toMatchObject({ ok: true, value: { passphraseSet: false, setupCodeNeeded: true } });
  }
  expect(await set(callers.approval, setupCode)).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
  expect([wallet.passphraseSet, existsSync(join(home, 'vault.json'))]).toEqual([false, false]);

  expect(await set(callers.page, ` ${setupCode.toLowerCase().replaceAll('-', ' ')}`)).toMatchObject({ ok: true, value: { passphraseSet: true } });
  expect(await set(callers.page, setupCode)).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
  expect(await router.dispatch('owner.status', {}, callers.page)).not.toHaveProperty('value.setupCodeNeeded');
});

test('the setup code is told over the page or the socket, or is written into the data folder', async () => {
  const { router, setupCode } = await open();
  const answers = await Promise.all((['app.status', 'app.dashboard', 'owner.status', 'clients.list', 'accounts.list', 'ledger.status'] as const).map((route) => router.dispatch(route, {}, callers.socket)));
  const written = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => (statSync(join(folder, name)).isDirectory() ? written(join(folder, name)) : statSync(join(folder, name)).isFile() ? [readFileSync(join(folder, name), 'latin1')] : []));
  const symbols = setupCode.replaceAll('-', '');
  for (const text of [JSON.stringify(answers), ...written(home)]) expect(text.includes(setupCode) || text.includes(symbols)).toBe(false);
});

test("Electron's own window needs a code that nothing shows", async () => {
  await open('electron');
  expect(await set(callers.window)).toMatchObject({ ok: true, value: { passphraseSet: true } });
});

test('the terminal shows a code although none is asked for', async () => {
  const opened = await open();
  expect(setupCodeToShow(opened)).toBe(opened.setupCode);
  await set(callers.page, opened.setupCode);
  expect(setupCodeToShow(opened)).toBe('');
});

test('a program that is no terminal sets the first passphrase through the command line', async () => {
  await open();
  await engine!.close();
  engine = undefined;
  await expect(runCli(['--home', home, 'passphrase', 'set'], { input: `${passphrase}\n${passphrase}\n` })).rejects.toThrow('typed on a terminal');
  expect(existsSync(join(home, 'vault.json'))).toBe(false);
});
