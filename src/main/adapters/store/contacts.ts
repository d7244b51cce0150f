import type { Clock } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** Where a contact is paid: on one network (CAIP-2), or on every network of a kind (`eip155`, `solana`). */
export interface ContactAddress {
  readonly chain: string;
  readonly address: string;
}

/** Somebody whom the owner pays. Texts are empty where the owner gave none. */
export interface Contact {
  /** Stable, and never given to another one. */
  readonly number: number;
  readonly name: string;
  readonly email: string;
  /** E.164. */
  readonly phone: string;
  readonly note: string;
  readonly addresses: readonly ContactAddress[];
  readonly createdAt: number;
}

export type ContactFields = Omit<Contact, 'number' | 'createdAt'>;

/**
 * The owner's contacts. Each row is sealed under the wallet's data key: it holds what is personal, and whoever could write an address there
 * could have money sent to it. All throw `WALLET_LOCKED`, and `DATABASE_CORRUPT` where a row was changed from outside.
 */
export interface ContactStore {
  /** By number. */
  list(): Promise<readonly Contact[]>;
  /** Throws `NOT_FOUND`. */
  get(number: number): Promise<Contact>;
  add(fields: ContactFields): Promise<Contact>;
  /** Throws `NOT_FOUND`. */
  edit(number: number, fields: ContactFields): Promise<Contact>;
  /** Throws `NOT_FOUND`. */
  remove(number: number): void;
}

interface Row {
  readonly number: number;
  readonly sealed: Uint8Array;
  readonly created_at: number;
}

export function createContacts(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): ContactStore {
  const all = db.prepare<[], Row>('SELECT number, sealed, created_at FROM contacts ORDER BY number');
  const one = db.prepare<[number], Row>('SELECT number, sealed, created_at FROM contacts WHERE number = ?');
  const last = db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'contacts'`).pluck();
  const insert = db.prepare<[number, Uint8Array, number]>('INSERT INTO contacts (number, sealed, created_at) VALUES (?, ?, ?) ON CONFLICT (number) DO NOTHING');
  const update = db.prepare<[Uint8Array, number]>('UPDATE contacts SET sealed = ? WHERE number = ?');
  const remove = db.prepare<[number]>('DELETE FROM contacts WHERE number = ?');

  const seal = ({ name, email, phone, note, addresses }: ContactFields, number: number) => sealer.seal(JSON.stringify({ name, email, phone, note, addresses }), context(number));
  const open = async ({ number, sealed, created_at: createdAt }: Row): Promise<Contact> => {
    const fields = JSON.parse(await sealer.open(sealed, context(number))) as ContactFields;
    return { number, ...fields, createdAt };
  };
  const get = async (number: number): Promise<Contact> => {
    const row = one.get(number);
    if (!row) throw unknown(number);
    return open(row);
  };

  return {
    list: () => Promise.all(all.all().map(open)),
    get,
    async add(fields) {
      for (;;) {
        // A number that was ever given is not given again: what an agent remembers of it must not lead to somebody else.
        const number = (last.get() ?? 0) + 1;
        if (insert.run(number, await seal(fields, number), clock.now()).changes === 1) return get(number);
      }
    },
    async edit(number, fields) {
      const sealed = await seal(fields, number);
      if (update.run(sealed, number).changes === 0) throw unknown(number);
      return get(number);
    },
    remove(number) {
      if (remove.run(number).changes === 0) throw unknown(number);
    },
  };
}

/** A row that is put in the place of another does not open. */
const context = (number: number): string => `contact:${number}`;

const unknown = (number: number) => new BursarError('NOT_FOUND', `There is no contact ${number}.`, { context: { contact: String(number) } });
