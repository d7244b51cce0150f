import type { Account } from '../../../core/ports.ts';
import type { Db } from './database.ts';

/** An account and, for one of the seed, its derivation path; empty for an imported one. */
export type StoredAccount = Account & { readonly path: string };

/** Public halves of the wallet's keys. */
export interface AccountStore {
  /** In the order they were added. */
  list(): readonly StoredAccount[];
  /** Adds an account unless its address is there already; false then. */
  add(account: StoredAccount): boolean;
}

export function createAccounts(db: Db): AccountStore {
  const all = db.prepare<[], StoredAccount>('SELECT id, label, namespace, address, source, path FROM accounts ORDER BY seq');
  const insert = db.prepare<[StoredAccount]>(
    `INSERT INTO accounts (id, label, namespace, address, source, path) VALUES (@id, @label, @namespace, @address, @source, @path)
     ON CONFLICT (namespace, address) DO NOTHING`,
  );
  return {
    list: () => all.all(),
    add: (account) => insert.run(account).changes === 1,
  };
}
