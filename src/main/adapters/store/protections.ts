import type { Clock } from '../../../core/ports.ts';
import type { ClientKind } from '../../../shared/contract/clients.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** A server in a client's file whose place Bursar has taken. */
export interface Protection {
  readonly kind: ClientKind;
  /** Its name in the file. */
  readonly name: string;
  readonly path: string;
  /** The server behind Bursar that it became. */
  readonly upstream: string;
  /** False where that server was there before. */
  readonly madeUpstream: boolean;
}

export interface ProtectionStore {
  list(): readonly Protection[];
  find(kind: ClientKind, name: string): Protection | undefined;
  /** Keeps the entry's own bytes, which may hold secrets, under seal; in place of an earlier one. Throws `WALLET_LOCKED`. */
  put(protection: Protection, entryText: string): Promise<void>;
  /** The bytes that stood in the file. Throws `NOT_FOUND`, `WALLET_LOCKED`. */
  entryText(kind: ClientKind, name: string): Promise<string>;
  remove(kind: ClientKind, name: string): void;
}

interface Row {
  readonly kind: ClientKind;
  readonly name: string;
  readonly path: string;
  readonly upstream: string;
  readonly made_upstream: 0 | 1;
  readonly sealed_entry: Uint8Array;
}

export function createProtections(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): ProtectionStore {
  const all = db.prepare<[], Row>('SELECT * FROM protections ORDER BY kind, name');
  const one = db.prepare<[string, string], Row>('SELECT * FROM protections WHERE kind = ? AND name = ?');
  const put = db.prepare<[string, string, string, string, number, Uint8Array, number]>(
    'INSERT OR REPLACE INTO protections (kind, name, path, upstream, made_upstream, sealed_entry, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = db.prepare<[string, string]>('DELETE FROM protections WHERE kind = ? AND name = ?');
  const context = (kind: ClientKind, name: string) => `protection:${JSON.stringify([kind, name])}`;
  const view = ({ kind, name, path, upstream, made_upstream: made }: Row): Protection => ({ kind, name, path, upstream, madeUpstream: made === 1 });

  return {
    list: () => all.all().map(view),
    find(kind, name) {
      const row = one.get(kind, name);
      return row && view(row);
    },
    async put({ kind, name, path, upstream, madeUpstream }, entryText) {
      put.run(kind, name, path, upstream, madeUpstream ? 1 : 0, await sealer.seal(entryText, context(kind, name)), clock.now());
    },
    async entryText(kind, name) {
      const row = one.get(kind, name);
      if (!row) throw new BursarError('NOT_FOUND', `The server ${JSON.stringify(name)} is not protected.`, { context: { client: kind } });
      return sealer.open(row.sealed_entry, context(kind, name));
    },
    remove: (kind, name) => void remove.run(kind, name),
  };
}
