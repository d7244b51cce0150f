import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** An MCP client that may connect over HTTP. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface ClientStore {
  /** In the order they were made. */
  list(): readonly Client[];
  /**
   * Gives a client this token, made by {@link newToken}, in place of any that it had; the client is made where there is none. Only the token's
   * hash is kept. Throws `INPUT_INVALID` for the name `default`.
   */
  setToken(name: string, token: string): void;
  /**
   * The client that `serve --json` and the connect page give out, made at first use. Its token can be read again, so it is also stored
   * sealed under the data key: a copy of the database alone gives no access. Throws `WALLET_LOCKED`.
   */
  default(): Promise<{ readonly client: Client; readonly token: string }>;
  /** Name and token hash (SHA-256) of every client, for whoever compares bearer tokens. */
  tokens(): readonly { readonly client: string; readonly sha256: Uint8Array }[];
  /** The client of a bearer token. */
  authenticate(token: string): Client | undefined;
  /** Throws `NOT_FOUND`. */
  remove(id: string): void;
}

const DEFAULT_NAME = 'default';
const TOKEN = /^brs_[A-Za-z0-9_-]{43}$/;
const SEAL_CONTEXT = 'client-token:default';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly sealed_token: Uint8Array | null;
  readonly created_at: number;
}

export function createClients(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): ClientStore {
  const columns = 'id, name, sealed_token, created_at';
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM clients ORDER BY rowid`);
  const hashes = db.prepare<[], { client: string; sha256: Uint8Array }>('SELECT name AS client, token_hash AS sha256 FROM clients');
  const byName = db.prepare<[string], Row>(`SELECT ${columns} FROM clients WHERE name = ?`);
  const byHash = db.prepare<[Uint8Array], Row>(`SELECT ${columns} FROM clients WHERE token_hash = ?`);
  const remove = db.prepare<[string]>('DELETE FROM clients WHERE id = ?');
  const insert = db.prepare<[string, string, Uint8Array, Uint8Array | null, number]>(
    'INSERT INTO clients (id, name, token_hash, sealed_token, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING',
  );

  const replace = db.prepare<[Uint8Array, string]>('UPDATE clients SET token_hash = ?, sealed_token = NULL WHERE name = ?');

  // Asked for with every HTTP request; this process is the only one that writes the table.
  let known: readonly { readonly client: string; readonly sha256: Uint8Array }[] | undefined;
  const changed = <T>(result: T): T => {
    known = undefined;
    return result;
  };

  const refuseDefault = (name: string): void => {
    if (name === DEFAULT_NAME) throw new BursarError('INPUT_INVALID', `The client name "${name}" is taken by Bursar.`, { context: { client: name } });
  };
  const add = (name: string, token: string, sealed: Uint8Array | null): Client => {
    const client = { id: randomUUID(), name, createdAt: clock.now() };
    if (changed(insert.run(client.id, name, hash(token), sealed, client.createdAt)).changes === 0) {
      throw new BursarError('INPUT_INVALID', `There is a client "${name}" already.`, { context: { client: name } });
    }
    return client;
  };

  // Two callers at once must get one default client, so the first one's promise serves both.
  let pending: Promise<{ client: Client; token: string }> | undefined;
  const readDefault = async () => {
    const row = byName.get(DEFAULT_NAME);
    if (row?.sealed_token) return { client: clientOfRow(row), token: await sealer.open(row.sealed_token, SEAL_CONTEXT) };
    const token = newToken();
    return { client: add(DEFAULT_NAME, token, await sealer.seal(token, SEAL_CONTEXT)), token };
  };

  return {
    list: () => all.all().map(clientOfRow),
    setToken(name, token) {
      refuseDefault(name);
      if (changed(replace.run(hash(token), name)).changes === 0) add(name, token, null);
    },
    default: () => (pending ??= readDefault().finally(() => (pending = undefined))),
    tokens: () => (known ??= hashes.all()),
    authenticate(token) {
      const row = TOKEN.test(token) ? byHash.get(hash(token)) : undefined;
      return row && clientOfRow(row);
    },
    remove(id) {
      if (changed(remove.run(id)).changes === 0) throw new BursarError('NOT_FOUND', `There is no client ${id}.`, { context: { client: id } });
    },
  };
}

/** A new bearer token. */
export const newToken = (): string => `brs_${randomBytes(32).toString('base64url')}`;

/** Looking a token up by its hash leaks nothing through time: a guess cannot steer its own hash. */
const hash = (token: string): Uint8Array => createHash('sha256').update(token).digest();

const clientOfRow = (row: Row): Client => ({ id: row.id, name: row.name, createdAt: row.created_at });
