import { randomBytes } from 'node:crypto';
import { closeSync, createReadStream, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Home } from '../home/home.ts';
import { FILE_MODE } from '../home/files.ts';
import { itemsOf } from '../keys/items.ts';
import type { Wallet } from '../keys/keys.ts';
import { DEFAULT_COST } from '../keys/passphrase.ts';
import { missingItem } from '../keys/seed-accounts.ts';
import { createAccounts } from '../store/accounts.ts';
import type { Db } from '../store/database.ts';
import { writeBackupFile } from './backup-file.ts';
import { writeEntry } from './entries.ts';

export interface CreateBackupOptions {
  readonly home: Pick<Home, 'environment' | 'paths' | 'config'>;
  readonly db: Db;
  readonly wallet: Pick<Wallet, 'readItem' | 'backend' | 'sealed'>;
  /** Absolute path of a file that is not there yet. */
  readonly path: string;
  /** The file opens with it, and so does the folder that is restored from it. */
  readonly passphrase: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** scrypt's N; tests lower it. */
  readonly cost?: number;
}

/**
 * Puts everything of a data folder into one encrypted file: keys, and the database with policy, ledger, servers and whatever else is in it, and the configuration.
 * Payments go on meanwhile; the database is a copy of one moment, taken after the keys, so that what lies with them is never ahead of it.
 * Throws `WALLET_LOCKED`, `INPUT_INVALID`, `KEYCHAIN_UNAVAILABLE`, `VAULT_CORRUPT`.
 */
export async function createBackup({ home, db, wallet, path, passphrase, version, now, cost = DEFAULT_COST }: CreateBackupOptions): Promise<{ readonly bytes: number }> {
  const keys = await readKeys(db, wallet);
  const copy = `${home.paths.database}.backup-${randomBytes(6).toString('hex')}`;
  try {
    removeLeftovers(home.paths.database);
    closeSync(openSync(copy, 'wx', FILE_MODE));
    await db.backup(copy);
    const schema = Number(db.pragma('user_version', { simple: true }));
    const manifest = Buffer.from(JSON.stringify({ version, schema, environment: home.environment, createdAt: now, sealed: wallet.sealed }));
    // What is in force, and not what somebody may have written into the file since.
    const config = Buffer.from(JSON.stringify(home.config()));
    const { size } = statSync(copy);
    const bytes = await writeBackupFile(path, { passphrase, cost, environment: home.environment, createdAt: now }, async (writer) => {
      await writeEntry(writer, 'manifest', manifest.length, [manifest]);
      await writeEntry(writer, 'config', config.length, [config]);
      await writeEntry(writer, 'keys', keys.length, [keys]);
      await writeEntry(writer, 'database', size, createReadStream(copy) as AsyncIterable<Buffer>);
    });
    return { bytes };
  } finally {
    keys.fill(0);
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true });
  }
}

/** Of a backup that was cut short by a crash. */
function removeLeftovers(database: string): void {
  const start = `${basename(database)}.backup-`;
  for (const name of readdirSync(dirname(database))) if (name.startsWith(start)) rmSync(join(dirname(database), name), { force: true });
}

async function readKeys(db: Db, wallet: CreateBackupOptions['wallet']): Promise<Buffer> {
  const items: Record<string, string> = {};
  for (const item of itemsOf(createAccounts(db))) {
    const secret = await wallet.readItem(item);
    // A backup without a key would be found out when it is too late.
    if (!secret && item !== 'integrity') throw missingItem(wallet.backend, item);
    if (!secret) continue;
    items[item] = Buffer.from(secret).toString('base64');
    secret.fill(0);
  }
  return Buffer.from(JSON.stringify(items));
}
