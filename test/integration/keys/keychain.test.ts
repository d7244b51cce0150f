import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AsyncEntry } from '@napi-rs/keyring';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../../src/main/adapters/home/home.ts';
import { createKeychain } from '../../../src/main/adapters/keys/keychain.ts';
import { openKeys } from '../../../src/main/adapters/keys/open-keys.ts';
import { createAccounts } from '../../../src/main/adapters/store/accounts.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { restoreBackup, verifyBackup } from '../../../src/main/adapters/backup/restore-backup.ts';
import { everything, fill, life as stores, PASSPHRASE } from '../../unit/keys/backup-life.ts';

const enabled = process.env.BURSAR_KEYCHAIN_TEST === '1';
if (!enabled) console.info('The keychain tests are skipped: they need a keychain of their own. Run: npm run test:keychain');

let folder: string;
const item = (service: string, name: string) => new AsyncEntry(service, name, { linux: { store: 'secret-service' } });

/** Runs `work` as one life of the application over the folder. */
async function life<T>(name: string, work: (wallet: Awaited<ReturnType<typeof openKeys>>, service: string) => Promise<T>): Promise<T> {
  const home = openHome({ environment: 'mainnet', home: join(folder, name) });
  const db = openDatabase(home.paths.database);
  try {
    return await work(await openKeys({ home, accounts: createAccounts(db) }), `Bursar ${home.config().homeId}`);
  } finally {
    db.close();
    home.close();
  }
}

/** What looks past the library at the Secret Service, or breaks it: the session is thrown away afterwards. */
const onSecretService = it.runIf(process.platform === 'linux');

describe.runIf(enabled)('keychain', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bursar-keychain-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('loses or changes bytes, also those that are no text', async () => {
    const keychain = createKeychain('0000000000000001');
    await keychain.probe();
    for (const secret of [new Uint8Array(32), new Uint8Array(32).fill(255), Uint8Array.from({ length: 64 }, (_, index) => index * 4)]) {
      await keychain.set('seed', secret);
      expect(await keychain.get('seed')).toEqual(secret);
    }
    expect(await keychain.get('data-key')).toBeUndefined();
    expect(await createKeychain('0000000000000002').get('seed')).toBeUndefined();
    await item('Bursar 0000000000000001', 'seed').deleteCredential();
  });

  it('has other keys after a restart, or new ones when an item vanished', async () => {
    const first = await life('restart', async (wallet) => {
      expect(wallet.backend).toBe('keychain');
      const imported = await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: '22'.repeat(32) });
      expect(await wallet.use(imported.id, (key) => key[0])).toBe(0x22);
      await wallet.setPassphrase('correct horse');
      return wallet.accounts();
    });
    const service = await life('restart', async (wallet, name) => {
      expect(wallet.accounts()).toEqual(first);
      expect(wallet.passphraseSet).toBe(true);
      await expect(wallet.verifyPassphrase('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
      await wallet.verifyPassphrase('correct horse');
      return name;
    });
    expect(readdirSync(join(folder, 'restart'))).not.toContain('vault.json');
    expect(await item(service, 'seed').deleteCredential()).toBe(true);
    await expect(life('restart', async () => undefined)).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE', context: { item: 'seed' } });
    expect(await item(service, 'seed').getSecret()).toBeNull();
    for (const name of ['data-key', 'owner', `account:${first[2]!.id}`]) expect(await item(service, name).deleteCredential()).toBe(true);
  });

  it('loses a key on the way through a backup, or overwrites those of the folder that was backed up', async () => {
    const from = { folder: join(folder, 'backed-up'), environment: 'mainnet' } as const;
    const path = join(folder, 'all.backup');
    const before = await stores(from, async (running) => {
      expect(running.wallet.backend).toBe('keychain');
      await fill(running);
      await running.backup(path);
      return everything(running);
    });
    const to = { ...from, folder: join(folder, 'restored') };
    expect(await restoreBackup({ backup: await verifyBackup(path, PASSPHRASE), path, folder: to.folder, passphrase: PASSPHRASE })).toEqual({ backend: 'keychain' });
    expect(readdirSync(to.folder)).not.toContain('vault.json');
    for (const each of [to, from]) {
      await stores(each, async (running) => {
        expect(await everything(running)).toEqual(before);
        // What is removed is gone from the keychain too, and only from that folder's.
        const gone = running.wallet.accounts().find(({ label }) => label === 'Key')!;
        await running.wallet.remove({ accountId: gone.id, confirm: gone.address, passphrase: PASSPHRASE });
        expect(await item(`Bursar ${running.home.config().homeId}`, `account:${gone.id}`).getSecret()).toBeNull();
      });
    }
  });

  onSecretService('leaves its canary behind', async () => {
    const homeId = '0000000000000003';
    const found = () => secretService('SearchItems', `dict:string:string:service,Bursar ${homeId}`);
    const keychain = createKeychain(homeId);
    await keychain.set('seed', new Uint8Array(32));
    expect(await found()).toContain('/org/freedesktop/secrets/collection/');
    await item(`Bursar ${homeId}`, 'seed').deleteCredential();
    await keychain.probe();
    expect(await found()).not.toContain('/org/freedesktop/secrets/collection/');
  });

  onSecretService.each([
    ['there is no session bus', 'unix:path=/nonexistent/bus'],
    ['nobody on the bus keeps secrets', 'empty'],
  ])('keeps real keys elsewhere, or hangs, when %s', async (_, address) => {
    await life('elsewhere', async (wallet) => expect(wallet.backend).toBe('keychain'));
    const result = await run(process.execPath, [join(import.meta.dirname, 'open-once.ts'), join(folder, 'elsewhere')], address);
    expect(JSON.parse(result)).toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE', files: expect.not.arrayContaining(['vault.json']) });
  });

  onSecretService('hangs with a provider that does not answer', { timeout: 10_000 }, async () => {
    const answer = await run('dbus-send', [
      '--session', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.GetConnectionUnixProcessID', 'string:org.freedesktop.secrets',
    ]);
    const pid = Number(/uint32 (\d+)/.exec(answer)![1]);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
    await expect(createKeychain('0000000000000004').probe()).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE' });
  });

  // Last, since nobody is there to type the keyring's password again.
  onSecretService('hangs, or makes new keys, when the keyring is locked', { timeout: 30_000 }, async () => {
    await life('locked', async (wallet) => expect(wallet.backend).toBe('keychain'));
    await secretService('Lock', 'array:objpath:/org/freedesktop/secrets/collection/login');
    await expect(life('locked', async () => undefined)).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE' });
    expect(readdirSync(join(folder, 'locked'))).not.toContain('vault.json');
  });
});

/** Calls the Secret Service past the library, and gives what it answered. */
const secretService = (method: string, argument: string) =>
  run('dbus-send', ['--session', '--print-reply', '--dest=org.freedesktop.secrets', '/org/freedesktop/secrets', `org.freedesktop.Secret.Service.${method}`, argument]);

/** Output of a command; with `bus`, on another session bus: an address, or `empty` for a new one without any service. */
async function run(command: string, args: readonly string[], bus?: string): Promise<string> {
  const bare = ['--config-file', join(import.meta.dirname, 'empty-bus.conf'), '--', command, ...args];
  const child = bus === 'empty'
    ? spawn('dbus-run-session', bare, { stdio: ['ignore', 'pipe', 'inherit'] })
    : spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...(bus && { DBUS_SESSION_BUS_ADDRESS: bus }) } });
  onTestFinished(() => void child.kill());
  const closed = once(child, 'close');
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('');
  expect((await closed)[0]).toBe(0);
  return output;
}
