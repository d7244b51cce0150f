import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { homePaths } from '../home/home.ts';
import { itemsOf } from '../keys/items.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { SecretItem } from '../keys/secret-store.ts';
import { createAccounts } from '../store/accounts.ts';
import { openDatabase } from '../store/database.ts';

/** What a folder is called while it is made out of a backup: by whom, and under which id its keys lie in a keychain. */
export const draftOf = (folder: string, homeId: string): string => `${folder}.restoring-${process.pid}-${homeId}`;

const DRAFT = /\.restoring-(\d+)-([0-9a-f]{16})$/;

/** Takes away what a restore of this folder left that was killed: its draft, and the keys that it had put into the keychain by then. */
export async function removeDrafts(folder: string, keychainOf: (homeId: string) => Keychain): Promise<void> {
  const beside = dirname(folder);
  for (const name of existsSync(beside) ? readdirSync(beside) : []) {
    const [, pid, homeId] = (name.startsWith(basename(folder)) && DRAFT.exec(name.slice(basename(folder).length))) || [];
    if (pid === undefined || homeId === undefined || isAlive(Number(pid))) continue;
    const draft = join(beside, name);
    const keychain = keychainOf(homeId);
    for (const item of itemsIn(draft)) await keychain.delete(item).catch(() => undefined);
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The database was whole before the first key was put anywhere. */
function itemsIn(draft: string): readonly SecretItem[] {
  const { database } = homePaths(draft);
  if (!existsSync(database)) return [];
  try {
    const db = openDatabase(database);
    try {
      return ['owner', 'seal', ...itemsOf(createAccounts(db))];
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
