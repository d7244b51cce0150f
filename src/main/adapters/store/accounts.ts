import type { Account } from '../../../core/ports.ts';
import type { Db } from './database.ts';
import { createSeeds, type SeedStore } from './seeds.ts';

/** An account as the database has it. */
export type StoredAccount = Account & {
  /** Derivation path of one of a seed; empty for every other. */
  readonly path: string;
  /** Id of its seed (`seeds`); empty where it comes from none. */
  readonly seed: string;
  /** The owner put it out of sight: it neither shows nor pays. */
  readonly hidden: boolean;
};

/** What the ledger says of an account: a payment of it can still move money, or what it sent by a link may come back; a payment once could; or none ever did. */
export type AccountUsage = 'open' | 'past' | 'never';

/** Public halves of the wallet's keys. */
export interface AccountStore {
  readonly seeds: SeedStore;
  /** In the order they were added, hidden ones too. */
  list(): readonly StoredAccount[];
  /** Adds an account unless its address is there already; false then. */
  add(account: StoredAccount): boolean;
  /** Throws nothing where the account is gone. */
  change(id: string, change: { readonly label?: string; readonly hidden?: boolean }): void;
  /** Says whose token accounts an account pays from; undefined: its own. */
  setDelegatedFrom(id: string, owner: string | undefined): void;
  remove(id: string): void;
  usage(address: string): AccountUsage;
  /** Runs `work` in one transaction. */
  atomically(work: () => void): void;
}

type Row = Omit<StoredAccount, 'delegatedFrom' | 'hidden'> & { readonly delegatedFrom: string; readonly hidden: 0 | 1 };

export function createAccounts(db: Db): AccountStore {
  const all = db.prepare<[], Row>('SELECT id, label, namespace, address, source, path, seed, hidden, delegated_from AS delegatedFrom FROM accounts ORDER BY seq');
  const insert = db.prepare<[Row]>(
    `INSERT INTO accounts (id, label, namespace, address, source, path, delegated_from, seed, hidden)
     VALUES (@id, @label, @namespace, @address, @source, @path, @delegatedFrom, @seed, @hidden) ON CONFLICT (namespace, address) DO NOTHING`,
  );
  const delegate = db.prepare<[string, string]>('UPDATE accounts SET delegated_from = ? WHERE id = ?');
  const label = db.prepare<[string, string]>('UPDATE accounts SET label = ? WHERE id = ?');
  const hide = db.prepare<[0 | 1, string]>('UPDATE accounts SET hidden = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM accounts WHERE id = ?');
  const open = db.prepare<[string], number>(
    `SELECT 1 FROM payments WHERE payer = ? AND (money IN ('reserved', 'outstanding') OR (money = 'settled' AND final = 0) OR (service = 'open' AND decision = 'approved')) LIMIT 1`,
  );
  // Unclaimed money, and the rent of an emptied escrow on Solana, come back to whom they were of.
  const awaited = db.prepare<[string, string], number>(
    `SELECT 1 FROM escrows JOIN payments ON payments.dialect = 'order' AND payments.network = escrows.network AND payments.payee = escrows.address
     WHERE (payments.payer = ? OR (json_valid(payments.track) AND json_extract(payments.track, '$.delegatedFrom') = ?)) AND payments.money IN ('outstanding', 'settled')
       AND (escrows.state IN ('created', 'funding', 'funded', 'notified', 'refunding') OR (escrows.state IN ('claimed', 'refunded') AND escrows.rent_back = 0 AND escrows.network LIKE 'solana:%')) LIMIT 1`,
  );
  const past = db.prepare<[string], number>('SELECT 1 FROM payments WHERE payer = ? LIMIT 1');
  // Every payment asks for them several times, and only this store changes them (engine lock).
  let known: readonly StoredAccount[] | undefined;
  const read = (): readonly StoredAccount[] => all.all().map(({ delegatedFrom, hidden, ...account }) => ({ ...account, hidden: hidden === 1, ...(delegatedFrom && { delegatedFrom }) }));
  const changing = <T>(change: () => T): T => {
    try {
      return change();
    } finally {
      known = undefined;
    }
  };
  return {
    seeds: createSeeds(db),
    list: () => (known ??= read()),
    add: (account) => changing(() => insert.run({ ...account, hidden: account.hidden ? 1 : 0, delegatedFrom: account.delegatedFrom ?? '' }).changes === 1),
    change: (id, change) =>
      changing(() => {
        if (change.label !== undefined) label.run(change.label, id);
        if (change.hidden !== undefined) hide.run(change.hidden ? 1 : 0, id);
      }),
    setDelegatedFrom: (id, owner) => changing(() => void delegate.run(owner ?? '', id)),
    remove: (id) => changing(() => void remove.run(id)),
    usage: (address) => (open.get(address) || awaited.get(address, address) ? 'open' : past.get(address) ? 'past' : 'never'),
    // What it read on the way is gone with a transaction that is undone.
    atomically: (work) => changing(() => db.transaction(work).immediate()),
  };
}
