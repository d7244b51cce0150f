import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBackupFile, writeBackupFile } from '../../../src/main/adapters/backup/backup-file.ts';
import { readEntries, writeEntry } from '../../../src/main/adapters/backup/entries.ts';
import { restoreBackup, verifyBackup } from '../../../src/main/adapters/backup/restore-backup.ts';
import { createAttempts } from '../../../src/main/adapters/keys/passphrase.ts';
import { MIGRATIONS } from '../../../src/main/adapters/store/migrations.ts';
import { temporaryFolder } from '../store/fixtures.ts';
import { EVM_KEY, everything, fill, HEADER, life, PASSPHRASE, WORDS, type LifeOptions } from './backup-life.ts';
import { memoryKeychain, type MemoryKeychain } from './fixtures.ts';

/** A machine with a keychain in memory for each folder, or with none. */
function machine(works = true) {
  const keychains = new Map<string, MemoryKeychain>();
  const keychain = (homeId: string): MemoryKeychain => {
    const found = keychains.get(homeId) ?? memoryKeychain();
    found.working = works;
    keychains.set(homeId, found);
    return found;
  };
  return { keychains, keychain };
}

const noWait = () => createAttempts(async () => undefined);
const quick = (path: string, passphrase = PASSPHRASE) => verifyBackup(path, passphrase, noWait());

async function backedUp(over: Partial<LifeOptions> = {}) {
  const root = temporaryFolder();
  const { keychain, keychains } = machine(over.preferVault !== true);
  const from: LifeOptions = { folder: join(root, 'old'), environment: 'testnet', keychain, ...over };
  const path = join(root, 'all.backup');
  const before = await life(from, async (running) => {
    await fill(running);
    await running.backup(path);
    const found = await everything(running);
    // After the backup: what it cannot know.
    running.sign('p3');
    return found;
  });
  return { root, path, from, before, keychain, keychains };
}

describe('a backup', () => {
  it('holds config.json as an agent wrote it while Bursar ran, and cannot be restored', async () => {
    const { root, from, keychain } = await backedUp();
    const path = join(root, 'broken.backup');
    await life(from, async (running) => {
      writeFileSync(running.home.paths.config, '{"version": 2}');
      await running.backup(path);
    });
    const folder = join(root, 'new');
    await restoreBackup({ backup: await quick(path), path, folder, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    await life({ ...from, folder }, async ({ integrity }) => expect(integrity.cause).toBe('restored'));
  });

  it('I7: made while settings stand there that an agent wrote, has them taken where it is restored', async () => {
    const { root, from, keychain } = await backedUp();
    const path = join(root, 'lying.backup');
    const config = join(from.folder, 'config.json');
    writeFileSync(config, JSON.stringify({ ...(JSON.parse(readFileSync(config, 'utf8')) as object), facilitators: { '*': ['https://lying.example'] } }));
    await life(from, async (running) => {
      expect(running.integrity.cause).toBe('settings');
      await running.backup(path);
    });
    const folder = join(root, 'new');
    await restoreBackup({ backup: await quick(path), path, folder, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    await life({ ...from, folder }, async ({ home, integrity }) => {
      expect(integrity.findings()).toEqual([expect.stringContaining('restored from a backup'), expect.stringContaining('now lying.example')]);
      integrity.putSettingsBack();
      expect(home.config().facilitators).toBeUndefined();
    });
  });

  it.each<[string, Partial<LifeOptions>, boolean]>([
    ['keychain to keychain', {}, false],
    ['keychain to vault', {}, true],
    ['vault to vault', { preferVault: true }, true],
    ['play money, whose vault needs nobody', { preferVault: true, environment: 'sandbox' }, true],
  ])('loses something, or brings another thing back: %s', async (_, over, preferVault) => {
    const { root, path, before, keychain, keychains, from } = await backedUp(over);
    const backup = await quick(path);
    expect(backup).toMatchObject({ environment: from.environment, createdAt: 1_700_000_000_000, version: '0.1.0' });
    const folder = join(root, 'new', 'home');
    const { backend } = await restoreBackup({ backup, path, folder, passphrase: PASSPHRASE, keychain, preferVault, cost: 2 ** 10 });
    expect(backend).toBe(preferVault ? 'vault' : 'keychain');
    const to = { ...from, folder };
    await life(to, async (running) => {
      const { payments, ...rest } = await everything(running);
      const { payments: had, ...other } = before;
      expect(rest).toEqual(other);
      expect(payments).toEqual(had);
      expect(running.home.config().homeId).not.toBe(JSON.parse(readFileSync(join(from.folder, 'config.json'), 'utf8')).homeId);
    });
    // The folder that was backed up is as it was.
    await life(from, async (running) => expect(running.journal.unresolved().map(({ id }) => id)).toEqual(['p1', 'p2', 'p3']));
    if (process.platform !== 'win32') {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(folder).filter((each) => each !== 'run')) expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(readdirSync(from.folder).filter((name) => name.includes('backup'))).toEqual([]);
    expect(keychains.size).toBeGreaterThan(0);
  });

  it('spends on from an older ledger although nobody was told (I3), forgets that at a restart, or resets the policy for it', async () => {
    const { root, path, before, keychain, from } = await backedUp();
    const folder = join(root, 'new');
    await restoreBackup({ backup: await quick(path), path, folder, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    const to = { ...from, folder };
    for (let start = 0; start < 2; start += 1) {
      await life(to, async ({ integrity, reserve }) => {
        expect(integrity.findings()).toEqual([expect.stringContaining('restored from a backup of 2023-11-14 22:13 UTC')]);
        expect(() => integrity.requireSound()).toThrow(expect.objectContaining({ code: 'LEDGER_RESTORED' }));
        expect(() => integrity.requireSpend()).toThrow(expect.objectContaining({ code: 'LEDGER_RESTORED' }));
        expect(() => reserve('p9')).toThrow(expect.objectContaining({ code: 'LEDGER_RESTORED' }));
        // What was signed is followed to its end meanwhile (I5).
        expect(integrity.mayRecord()).toBe(true);
      });
    }
    await life(to, async ({ integrity, wallet, policies, sign }) => {
      await integrity.accept('owner', wallet.ledger, () => expect.unreachable('a restored policy is the owner\'s own'));
      expect(policies.current()).toEqual(before.policy);
      sign('p9');
    });
    await life(to, async ({ integrity, accepted, journal }) => {
      expect(integrity.findings()).toEqual([]);
      expect((await integrity.audit()).findings).toEqual([]);
      expect(journal.get('p9')).toMatchObject({ money: 'outstanding' });
      expect(accepted()).toEqual([expect.stringContaining('restored from a backup')]);
    });
  });

  it('holds a key, a word or a secret in the clear (I6)', async () => {
    const { path } = await backedUp();
    const bytes = readFileSync(path);
    for (const canary of [WORDS.slice(0, 20), EVM_KEY, HEADER, 'SQLite format', 'policy_versions', Buffer.from(EVM_KEY, 'hex').toString('base64').slice(0, 40)]) expect([canary, bytes.includes(canary)]).toEqual([canary, false]);
    expect(bytes.includes(Buffer.from(EVM_KEY, 'hex'))).toBe(false);
  });

  it('is taken with another passphrase, changed anywhere, cut off anywhere, or of a newer version; nothing is written then', async () => {
    const { root, path } = await backedUp();
    await expect(quick(path, 'wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    const bytes = readFileSync(path);
    const body = bytes.indexOf('\n') + 1;
    const bad = join(root, 'bad');
    const places = [5, body - 20, body, body + 17, body + 65_552, Math.floor(bytes.length / 2), bytes.length - 1];
    for (const at of places) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      writeFileSync(bad, changed);
      await expect(quick(bad), `changed at ${at}`).rejects.toMatchObject({ code: 'BACKUP_CORRUPT' });
    }
    for (const length of [0, 10, body, body + 1, body + 16, body + 65_552, body + 2 * 65_552, bytes.length - 1]) {
      writeFileSync(bad, bytes.subarray(0, length));
      await expect(quick(bad), `cut at ${length}`).rejects.toMatchObject({ code: 'BACKUP_CORRUPT' });
    }
    writeFileSync(bad, Buffer.concat([bytes, Buffer.from('x')]));
    await expect(quick(bad)).rejects.toMatchObject({ code: 'BACKUP_CORRUPT' });
    const swapped = Buffer.concat([bytes.subarray(0, body), bytes.subarray(body + 65_552, body + 2 * 65_552), bytes.subarray(body, body + 65_552), bytes.subarray(body + 2 * 65_552)]);
    writeFileSync(bad, swapped);
    await expect(quick(bad)).rejects.toMatchObject({ code: 'BACKUP_CORRUPT' });
    writeFileSync(bad, bytes.toString('latin1').replace('"version":1', '"version":2'), 'latin1');
    await expect(quick(bad)).rejects.toMatchObject({ code: 'BACKUP_TOO_NEW', context: { version: '2', known: '1' } });
    await expect(quick(join(root, 'nothing'))).rejects.toMatchObject({ code: 'NOT_FOUND' });

    // A file that changes between the look and the writing leaves no folder and no key behind.
    const backup = await quick(path);
    writeFileSync(path, bytes.subarray(0, bytes.length - 100));
    const fresh = machine();
    await expect(restoreBackup({ backup, path, folder: join(root, 'new'), passphrase: PASSPHRASE, keychain: fresh.keychain, cost: 2 ** 10 })).rejects.toMatchObject({ code: 'BACKUP_CORRUPT' });
    expect(readdirSync(root).toSorted()).toEqual(['all.backup', 'bad', 'old']);
    expect([...fresh.keychains.values()].flatMap(({ items }) => [...items.keys()])).toEqual([]);
  });

  it('is restored over something, or written over something', async () => {
    const { root, path, from, keychain } = await backedUp();
    const backup = await quick(path);
    const folder = join(root, 'new');
    mkdirSync(folder);
    writeFileSync(join(folder, 'note.txt'), 'mine');
    await expect(restoreBackup({ backup, path, folder, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 })).rejects.toMatchObject({ code: 'HOME_NOT_EMPTY' });
    expect(readdirSync(folder)).toEqual(['note.txt']);
    const empty = mkdtempSync(join(root, 'empty-'));
    await restoreBackup({ backup, path, folder: empty, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    expect(existsSync(join(empty, 'bursar.db'))).toBe(true);
    const before = readFileSync(path);
    await life(from, async (running) => {
      await expect(running.backup(path)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
      await expect(running.backup(join(root, 'nowhere', 'x'))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
      // One that leaves a key out would be found out when it is too late.
      running.wallet.lock();
      await expect(running.backup(join(root, 'locked'))).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(join(root, 'locked'))).toBe(false);
  });

  it('leaves keys in the keychain, or a folder beside, for ever after a restore that was killed (I6)', async () => {
    const { root, path } = await backedUp();
    const backup = await quick(path);
    const folder = join(root, 'new');
    const { keychains, keychain } = machine();
    const killed = Promise.withResolvers<void>();
    const dying = (homeId: string): MemoryKeychain => {
      const real = keychain(homeId);
      const set: MemoryKeychain['set'] = (item, secret) => (item.startsWith('account:') ? new Promise(() => killed.resolve()) : real.set(item, secret));
      return Object.assign(Object.create(real) as MemoryKeychain, { set });
    };
    void restoreBackup({ backup, path, folder, passphrase: PASSPHRASE, keychain: dying, cost: 2 ** 10 });
    await killed.promise;
    const [left] = readdirSync(root).filter((name) => name.startsWith('new.restoring-'));
    const [first] = keychains.values();
    expect([...first!.items.keys()]).toEqual(expect.arrayContaining(['seed', 'data-key']));
    // Nobody else's: another restore may be under way.
    await restoreBackup({ backup, path, folder: join(root, 'other'), passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    expect(readdirSync(root)).toContain(left);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    renameSync(join(root, left!), join(root, left!.replace(`-${process.pid}-`, `-${pid}-`)));

    await restoreBackup({ backup, path, folder, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    expect(readdirSync(root).filter((name) => name.includes('restoring'))).toEqual([]);
    expect([...first!.items.keys()]).toEqual([]);
  });

  it('is made although a key is gone', async () => {
    const { root, from, keychains } = await backedUp();
    await life(from, async (running) => {
      for (const { items } of keychains.values()) for (const item of items.keys()) if (item.startsWith('account:')) items.delete(item);
      await expect(running.backup(join(root, 'less'))).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE' });
    });
    expect(existsSync(join(root, 'less'))).toBe(false);
  });

  it('of a newer database is restored', async () => {
    const root = temporaryFolder();
    const path = join(root, 'newer');
    await writeBackupFile(path, { passphrase: PASSPHRASE, cost: 2 ** 10, environment: 'testnet', createdAt: 1 }, async (writer) => {
      const manifest = Buffer.from(JSON.stringify({ version: '9', schema: MIGRATIONS.length + 1, createdAt: 1 }));
      await writeEntry(writer, 'manifest', manifest.length, [manifest]);
      for (const name of ['config', 'keys', 'database'] as const) await writeEntry(writer, name, 2, [Buffer.from('{}')]);
    });
    await expect(quick(path)).rejects.toMatchObject({ code: 'DATABASE_TOO_NEW' });
  });

  it('that is anything else throws an error that is not ours', async () => {
    const path = join(temporaryFolder(), 'any');
    const line = fc.oneof(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)), fc.json().map((json) => Buffer.from(`${json}\n`)), fc.record({ format: fc.constant('bursar-backup'), version: fc.anything(), kdf: fc.anything() }).map((each) => Buffer.from(`${JSON.stringify(each)}\n`)));
    await fc.assert(
      fc.asyncProperty(line, async (bytes) => {
        writeFileSync(path, bytes);
        await expect(openBackupFile(path)).rejects.toMatchObject({ name: 'BursarError', code: expect.stringMatching(/^BACKUP_(CORRUPT|TOO_NEW)$/) });
      }),
      { numRuns: 200 },
    );
    // What is authentic and not what Bursar writes, in pieces of any size.
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }), async (pieces) => {
        const content = (async function* () {
          yield* pieces;
        })();
        await expect(readEntries(path, content, { begin: () => undefined, take: () => undefined })).rejects.toMatchObject({ code: 'BACKUP_CORRUPT' });
      }),
      { numRuns: 200 },
    );
  });

  it('loses bytes at the edge of a chunk', async () => {
    const root = temporaryFolder();
    for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) {
      const content = randomBytes(size);
      const path = join(root, String(size));
      await writeBackupFile(path, { passphrase: PASSPHRASE, cost: 2 ** 10, environment: 'testnet', createdAt: 1 }, async (writer) => {
        for (let at = 0; at < size; at += 7_777) await writer.write(content.subarray(at, at + 7_777));
      });
      const file = await openBackupFile(path);
      const pieces: Buffer[] = [];
      for await (const piece of file.read((await file.unlock(PASSPHRASE))!)) pieces.push(Buffer.from(piece));
      expect([size, Buffer.concat(pieces).equals(content)]).toEqual([size, true]);
    }
  });
});
