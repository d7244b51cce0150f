import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { desktopEntry } from '../../../src/main/adapters/login-item/desktop-entry.ts';
import { autostartPath, createXdgAutostart } from '../../../src/main/adapters/login-item/xdg-autostart.ts';

const launch = { command: '/opt/Bursar/bursar', args: ['--home', '/home/o/My $tuff', '--hidden'] };
let user: string;
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), 'bursar-login-'));
});
afterEach(() => rmSync(user, { recursive: true, force: true }));

test('the entry is written where no desktop looks', async () => {
  expect(autostartPath({ HOME: user })).toBe(join(user, '.config/autostart/bursar.desktop'));
  expect(autostartPath({ HOME: user, XDG_CONFIG_HOME: join(user, 'c') })).toBe(join(user, 'c/autostart/bursar.desktop'));
  expect(autostartPath({ HOME: user, XDG_CONFIG_HOME: 'c' })).toBe(join(user, '.config/autostart/bursar.desktop'));
});

test('what was switched on is not on, or stays after it was switched off', async () => {
  const env = { HOME: user, XDG_CONFIG_HOME: join(user, 'config') };
  const item = createXdgAutostart({ launch, env, platform: 'linux' });
  expect(item.supported).toBe(true);
  expect(await item.get()).toBe(false);
  await item.set(true);
  expect(await item.get()).toBe(true);
  const folder = join(user, 'config', 'autostart');
  expect(readdirSync(folder)).toEqual(['bursar.desktop']);
  expect(statSync(join(folder, 'bursar.desktop')).mode & 0o077).toBe(0);
  await item.set(true);
  await item.set(false);
  expect(readdirSync(folder)).toEqual([]);
  await item.set(false);
  expect(await item.get()).toBe(false);
});

test('an entry that the desktop itself switched off counts as on', async () => {
  const env = { HOME: user };
  const item = createXdgAutostart({ launch, env, platform: 'linux' });
  for (const off of ['Hidden=true', 'X-GNOME-Autostart-enabled=false']) {
    await item.set(true);
    const path = autostartPath(env);
    writeFileSync(path, `${readFileSync(path, 'utf8').replace(/^X-GNOME.*\n/m, '')}${off}\n`);
    expect(await item.get()).toBe(false);
  }
});

test('a folder that cannot be made fails with something else than the reason, or without one', async () => {
  mkdirSync(user, { recursive: true });
  writeFileSync(join(user, '.config'), 'a file');
  const item = createXdgAutostart({ launch, env: { HOME: user }, platform: 'linux' });
  await expect(item.set(true)).rejects.toMatchObject({ code: 'LOGIN_ITEM_FAILED' });
  expect(existsSync(join(user, '.config', 'autostart'))).toBe(false);
});

test('macOS and Windows are said to read an autostart folder', () => {
  expect(createXdgAutostart({ launch, env: { HOME: user }, platform: 'darwin' }).supported).toBe(false);
});

/** What the words of an `Exec` line are once the desktop has undone both rules; the shell undoes the quoting alike. */
function wordsOf(entry: string): string[] {
  const line = /^Exec=(.*)$/m.exec(entry)?.[1] ?? '';
  const value = line.replaceAll('%%', '%').replaceAll('\\\\', '\\');
  return JSON.parse(execFileSync('/bin/sh', ['-c', `set -f; exec "${process.execPath}" -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- ${value}`], { encoding: 'utf8' })) as string[];
}

test('a path with a space, a dollar or a quote starts another program', () => {
  const args = ['--home', '/home/o/a b', '$(touch /tmp/x)', '`id`', 'say "so"', 'back\\slash', '100%', "it's"];
  expect(wordsOf(desktopEntry({ command: '/opt/Bursar/bursar', args }))).toEqual(['/opt/Bursar/bursar', ...args]);
});

test('from source the entry forgets which Node the clients are to be told', () => {
  expect(desktopEntry({ command: '/opt/electron', args: ['main.js'], env: { BURSAR_NODE: '/usr/bin/node' } })).toContain('\nExec=env BURSAR_NODE=/usr/bin/node /opt/electron main.js\n');
});

test('a path with a line break adds a line to the entry', () => {
  expect(() => desktopEntry({ command: '/opt/a\nExec=rm', args: [] })).toThrow('line break');
});
