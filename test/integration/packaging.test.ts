import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { extractAll } from '@electron/asar';
import { _electron } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runScript } from '../support/run-script.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const PACKING_MS = 600_000;
/** Nobody listens there. */
const UNREACHABLE = 'http://127.0.0.1:9';

interface Report {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly folder: string;
}

// The list of packed files is made with electron-builder's own parts around a stub of Electron, for Linux.
describe.runIf(process.platform === 'linux')('a packed Bursar', () => {
  let work: string;
  let report: Report;
  let resources: string;
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'bursar-packed-'));
    report = JSON.parse(await runScript('package-check.mjs', ['--json', '--keep', join(work, 'packed')], { reports: true })) as Report;
    resources = join(report.folder, 'resources');
  }, PACKING_MS);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test('holds what is no part of it, lacks a part, has a fuse as Electron ships it, or a Node for another machine', () => {
    expect(report.problems).toEqual([]);
  });

  /** As on the machine of somebody who never heard of Node. */
  const bare = { PATH: '/nowhere', HOME: '/nowhere', LANG: 'C' };

  test('runs shim and command line on a Node that is somewhere in the PATH, or not at all', async () => {
    const home = join(work, 'home');
    const node = join(resources, 'program', 'node');
    const entry = (name: string) => join(resources, 'program', 'out', 'main', name);
    writeFileSync(join(work, 'passphrase'), 'correct horse battery', { mode: 0o600 });
    const env = { ...bare, BURSAR_PASSPHRASE_FILE: join(work, 'passphrase') };
    const started = spawn(node, [entry('cli.js'), 'serve', '--json', '--vault', '--port', '0', '--home', home, '--network', 'testnet'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => started.once('exit', resolve));
    onTestFinished(async () => {
      started.kill();
      await ended;
    });
    const ready = JSON.parse(await new Promise<string>((resolve) => createInterface({ input: started.stdout }).once('line', resolve))) as { dashboard: string };
    const { stdout } = await run(node, [entry('cli.js'), '--home', home, 'network', 'set', 'eip155:84532', '--rpc', UNREACHABLE, '--json'], { env });
    expect(JSON.parse(stdout)).not.toHaveProperty('error');

    const shim = spawn(node, [entry('shim.js'), '--home', home, '--client', 'test'], { env: bare, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void shim.kill());
    shim.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n');
    const answer = await new Promise<string>((resolve) => createInterface({ input: shim.stdout }).once('line', resolve));
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'bursar' } } });

    const opened = await fetch(ready.dashboard, { redirect: 'manual' });
    const cookie = opened.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ');
    const page = await fetch(new URL('/', ready.dashboard), { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<div id="root">');
  });

  test('starts on play money that was not packed, or says no word of it', async () => {
    const cli = [join(resources, 'program', 'out', 'main', 'cli.js'), '--home', join(work, 'sandbox'), '--network', 'sandbox', 'serve', '--json', '--vault', '--port', '0'];
    const { stdout } = await run(join(resources, 'program', 'node'), cli, { env: bare }).catch((error: unknown) => error as { stdout: string });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CHAIN_UNREACHABLE', message: 'This build has no play-money sandbox.' } });
  });

  test('lacks a file that only Electron would have read, or tells clients of one that they cannot read', async () => {
    // The double is no Electron and reads no archive: a folder of the archive's name and content stands in its place.
    const archive = join(work, 'double', 'app.asar');
    extractAll(join(resources, 'app.asar'), archive);
    for (const name of ['app.asar.unpacked', 'program']) symlinkSync(join(resources, name), join(work, 'double', name));
    rmSync(join(archive, 'node_modules', 'better-sqlite3'), { recursive: true });
    symlinkSync(join(resources, 'app.asar.unpacked', 'node_modules', 'better-sqlite3'), join(archive, 'node_modules', 'better-sqlite3'));
    const { BURSAR_NODE: _node, ...env } = process.env;
    const home = join(work, 'desktop');
    const app = await _electron.launch({
      executablePath: join(root, 'test/support/electron-double/electron'),
      args: [join(archive, 'out/main/index.js'), '--home', home, '--network', 'testnet', '--port', '0'],
      env: { ...(env as Record<string, string>), ELECTRON_DOUBLE_NODE: process.execPath, HOME: work, XDG_RUNTIME_DIR: work, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
    });
    onTestFinished(() => app.close());
    const window = await app.firstWindow();
    await window.waitForURL(/^https:\/\/bursar/);
    const ask = (route: string, input: object) =>
      window.evaluate(([name, value]) => (window as unknown as { bursar: { request(route: string, input: unknown): Promise<unknown> } }).bursar.request(name, value), [route, input] as const);
    await window.getByRole('heading').first().waitFor();
    expect(await ask('app.status', {})).toMatchObject({ ok: true, value: { host: 'electron', environment: 'testnet' } });
    // The reading thread lies outside of the archive.
    expect(await ask('payments.find', {})).toMatchObject({ ok: true });
    const launch = JSON.parse(readFileSync(join(home, 'run', 'launch.json'), 'utf8')) as { args: readonly string[]; env?: object };
    expect(launch.args).toEqual(['--home', home, '--network', 'testnet', '--hidden']);
    expect(launch.env).toBeUndefined();
    expect(existsSync(join(work, 'double', 'program', 'out', 'main', 'shim.js'))).toBe(true);
  });
});
