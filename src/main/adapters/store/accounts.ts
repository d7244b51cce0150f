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
  /** Says whose token accounts an account pays from; undefined: its own. */
  setDelegatedFrom(id: string, owner: string | undefined): void;
}

type Row = Omit<StoredAccount, 'delegatedFrom'> & { readonly delegatedFrom: string };

export function createAccounts(db: Db): AccountStore {
  const all = db.prepare<[], Row>('SELECT id, label, namespace, address, source, path, delegated_from AS delegatedFrom FROM accounts ORDER BY seq');
  const insert = db.prepare<[Row]>(
    `INSERT INTO accounts (id, label, namespace, address, source, path, delegated_from) VALUES (@id, @label, @namespace, @address, @source, @path, @delegatedFrom)
     ON CONFLICT (namespace, address) DO NOTHING`,
  );
  const delegate = db.prepare<[string, string]>('UPDATE accounts SET delegated_from = ? WHERE id = ?');
  return {
    list: () => all.all().map(({ delegatedFrom, ...account }) => ({ ...account, ...(delegatedFrom && { delegatedFrom }) })),
    add: (account) => insert.run({ ...account, delegatedFrom: account.delegatedFrom ?? '' }).changes === 1,
    setDelegatedFrom: (id, owner) => void delegate.run(owner ?? '', id),
  };
}
