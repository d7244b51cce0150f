import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homePaths } from '../../src/main/adapters/home/home.ts';
import { createVault } from '../../src/main/adapters/keys/vault.ts';
import { runCli, startApp } from '../support/app-process.ts';
import { expectNoLeak, noteCommand, noteOwner } from '../support/home-leaks.ts';

test('I6: what every test of the application ends with finds no secret, wherever one stands', async () => {
  const app = await startApp();
  const { home } = app;
  try {
    // What shows a secret as it is meant to is none; the same words in any other command are.
    await runCli(['--home', home, 'account', 'reveal', '--json']).catch(() => undefined);
    await app.stop();
    const paths = homePaths(home);
    const vault = createVault(paths.vault);
    expect(await vault.unlock(readFileSync(paths.vaultPassphrase, 'utf8').trim())).toBe(true);
    const [seed, dataKey] = [await vault.get('seed'), await vault.get('data-key')];
    vault.lock();

    const planted = join(home, 'logs', 'planted.log');
    writeFileSync(planted, `a line with ${Buffer.from(dataKey!).toString('base64')} in it`);
    await expect(expectNoLeak(home)).rejects.toThrow(`data-key in ${planted}`);
    rmSync(planted);
    await expectNoLeak(home);
    noteCommand(['--home', home, 'history'], Buffer.from(seed!).toString('hex'));
    await expect(expectNoLeak(home)).rejects.toThrow('seed in bursar --home');
  } finally {
    await app.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

test('I6: the vault of an owner, or what a killed application left, is not looked through', async () => {
  const home = mkdtempSync(join(tmpdir(), 'bursar-owner-leaks-'));
  try {
    const paths = homePaths(home);
    const vault = createVault(paths.vault, { cost: 2 ** 10 });
    await vault.create('an owner of their own');
    const secret = randomBytes(32);
    await vault.set('data-key', secret);
    vault.lock();
    const planted = join(home, 'planted.log');
    writeFileSync(planted, secret.toString('hex'));
    noteOwner(home, 'a wrong passphrase');
    noteOwner(home, 'an owner of their own');
    await expect(expectNoLeak(home)).rejects.toThrow(`data-key in ${planted}`);
    writeFileSync(planted, 'said an owner of their own');
    await expect(expectNoLeak(home)).rejects.toThrow(`passphrase of the owner in ${planted}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
