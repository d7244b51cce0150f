import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/ports.ts';
import { readScopes, scopeText, USUAL_SCOPES, withLeast, type Scope } from '../../../shared/access/scopes.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** With what a client proves that it is the one: an API key, which is its bearer token, or a secret for the token endpoint. */
export type Credential = 'key' | 'oauth';

/** An MCP client that may connect. */
export interface Client {
  /** Its OAuth client id too. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly credential: Credential;
  readonly scopes: readonly Scope[];
  /** When it last came, to the minute (ms); absent where it never did. */
  readonly lastSeen?: number;
}

export interface NewClient {
  readonly name: string;
  readonly credential: Credential;
  readonly scopes: readonly Scope[];
  /** Made by {@link newToken} or {@link newSecret}. Only its hash is kept. */
  readonly secret: string;
}

export interface ClientStore {
  /** In the order they were made, without those that were revoked. */
  list(): readonly Client[];
  find(name: string): Client | undefined;
  /** Throws `INPUT_INVALID` where there is a client of that name already, or where the name is Bursar's own. */
  add(client: NewClient): Client;
  /**
   * Gives a client this API key, made by {@link newToken}, in place of any that it had; the client is made where there is none, with what
   * clients usually have. Throws `INPUT_INVALID` for a name of Bursar's own.
   */
  setToken(name: string, token: string): void;
  /** Replaces the credential of a client; of the same kind as it was. Throws `NOT_FOUND`, `INPUT_INVALID` for the default client. */
  setSecret(name: string, secret: string): Client;
  /** Throws `NOT_FOUND`. */
  setScopes(name: string, scopes: readonly Scope[]): Client;
  /** Ends what proves the client, and remembers the name. Throws `NOT_FOUND`, `INPUT_INVALID` for the default client. */
  revoke(name: string): void;
  /** Was a client of this name revoked, and none added since? */
  isRevoked(name: string): boolean;
  /** Writes down when a client came. */
  setLastSeen(name: string, at: number): void;
  /**
   * The client that `serve --json` and the connect page give out, made at first use. Its token can be read again, so it is also stored
   * sealed under the data key: a copy of the database alone gives no access. Throws `WALLET_LOCKED`.
   */
  default(): Promise<{ readonly client: Client; readonly token: string }>;
  /** The default client with a new token in place of its old one. Throws `WALLET_LOCKED`. */
  rotateDefault(): Promise<{ readonly client: Client; readonly token: string }>;
  /** Name and token hash (SHA-256) of every client with an API key, for whoever compares bearer tokens. */
  tokens(): readonly { readonly client: string; readonly sha256: Uint8Array }[];
  /** The client of an API key. */
  authenticate(token: string): Client | undefined;
  /** A client that uses the token endpoint, by its client id, and the hash (SHA-256) of its secret. */
  oauthClient(id: string): { readonly client: Client; readonly sha256: Uint8Array } | undefined;
  /** Forgets a client. Throws `NOT_FOUND`. */
  remove(id: string): void;
}

export const DEFAULT_CLIENT = 'default';

/** Under `cli` the owner's own purchases on the command line stand: no client may share them. */
const OWN_NAMES: readonly string[] = [DEFAULT_CLIENT, 'cli'];
const TOKEN = /^brs_[A-Za-z0-9_-]{43}$/;
const SEAL_CONTEXT = 'client-token:default';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly sealed_token: Uint8Array | null;
  readonly created_at: number;
  readonly credential: Credential;
  readonly scopes: string;
  readonly last_seen: number | null;
}

export function createClients(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): ClientStore {
  const columns = 'id, name, sealed_token, created_at, credential, scopes, last_seen';
  const active = 'revoked_at IS NULL';
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM clients WHERE ${active} ORDER BY rowid`);
  const hashes = db.prepare<[], { client: string; sha256: Uint8Array }>(`SELECT name AS client, token_hash AS sha256 FROM clients WHERE credential = 'key' AND ${active}`);
  const byName = db.prepare<[string], Row>(`SELECT ${columns} FROM clients WHERE name = ? AND ${active}`);
  const byHash = db.prepare<[Uint8Array], Row>(`SELECT ${columns} FROM clients WHERE token_hash = ? AND credential = 'key' AND ${active}`);
  const oauthById = db.prepare<[string], Row & { token_hash: Uint8Array }>(`SELECT ${columns}, token_hash FROM clients WHERE id = ? AND credential = 'oauth' AND ${active}`);
  const revoked = db.prepare<[string], { one: number }>('SELECT 1 AS one FROM clients WHERE name = ? AND revoked_at IS NOT NULL');
  const remove = db.prepare<[string]>('DELETE FROM clients WHERE id = ?');
  const forgetRevoked = db.prepare<[string]>('DELETE FROM clients WHERE name = ? AND revoked_at IS NOT NULL');
  const insert = db.prepare<[string, string, Uint8Array, Uint8Array | null, number, Credential, string]>(
    'INSERT INTO clients (id, name, token_hash, sealed_token, created_at, credential, scopes) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING',
  );
  const setKey = db.prepare<[Uint8Array, string]>(`UPDATE clients SET token_hash = ?, credential = 'key', sealed_token = NULL WHERE name = ? AND ${active}`);
  const setHash = db.prepare<[Uint8Array, Uint8Array | null, string]>(`UPDATE clients SET token_hash = ?, sealed_token = ? WHERE name = ? AND ${active}`);
  const updateScopes = db.prepare<[string, string]>(`UPDATE clients SET scopes = ? WHERE name = ? AND ${active}`);
  const setRevoked = db.prepare<[number, string]>(`UPDATE clients SET revoked_at = ?, sealed_token = NULL WHERE name = ? AND ${active}`);
  const updateSeen = db.prepare<[number, string]>(`UPDATE clients SET last_seen = ? WHERE name = ? AND ${active}`);

  // Asked for with every HTTP request; this process is the only one that writes the table.
  let known: readonly { readonly client: string; readonly sha256: Uint8Array }[] | undefined;
  const changed = <T>(result: T): T => {
    known = undefined;
    return result;
  };

  const refuseOwn = (name: string): void => {
    if (OWN_NAMES.includes(name)) throw new BursarError('INPUT_INVALID', `The client name "${name}" is taken by Bursar.`, { context: { client: name } });
  };
  const find = (name: string): Client | undefined => {
    const row = byName.get(name);
    return row && clientOfRow(row);
  };
  const requireClient = (name: string): Client => {
    const client = find(name);
    if (client === undefined) throw new BursarError('NOT_FOUND', `There is no client "${name}".`, { context: { client: name } });
    return client;
  };
  const add = ({ name, credential, scopes, secret }: NewClient, sealed: Uint8Array | null): Client => {
    const client = { id: randomUUID(), name, createdAt: clock.now(), credential, scopes: withLeast(scopes) };
    db.transaction(() => {
      forgetRevoked.run(name);
      if (changed(insert.run(client.id, name, hash(secret), sealed, client.createdAt, credential, scopeText(client.scopes))).changes === 0) {
        throw new BursarError('INPUT_INVALID', `There is a client "${name}" already.`, { context: { client: name }, hint: 'Give it a new credential instead: client rotate.' });
      }
    })();
    return client;
  };

  // Two callers at once must get one default client, so the first one's promise serves both.
  let pending: Promise<{ client: Client; token: string }> | undefined;
  const readDefault = async () => {
    const row = byName.get(DEFAULT_CLIENT);
    if (row?.sealed_token) return { client: clientOfRow(row), token: await sealer.open(row.sealed_token, SEAL_CONTEXT) };
    const token = newToken();
    return { client: add({ name: DEFAULT_CLIENT, credential: 'key', scopes: USUAL_SCOPES, secret: token }, await sealer.seal(token, SEAL_CONTEXT)), token };
  };

  const getDefault = () => (pending ??= readDefault().finally(() => (pending = undefined)));

  return {
    list: () => all.all().map(clientOfRow),
    find,
    add(client) {
      refuseOwn(client.name);
      return add(client, null);
    },
    setToken(name, token) {
      refuseOwn(name);
      if (changed(setKey.run(hash(token), name)).changes === 0) add({ name, credential: 'key', scopes: USUAL_SCOPES, secret: token }, null);
    },
    setSecret(name, secret) {
      refuseOwn(name);
      changed(setHash.run(hash(secret), null, name));
      return requireClient(name);
    },
    setScopes(name, scopes) {
      updateScopes.run(scopeText(withLeast(scopes)), name);
      return requireClient(name);
    },
    revoke(name) {
      refuseOwn(name);
      requireClient(name);
      changed(setRevoked.run(clock.now(), name));
    },
    isRevoked: (name) => revoked.get(name) !== undefined,
    setLastSeen: (name, at) => void updateSeen.run(at, name),
    default: getDefault,
    async rotateDefault() {
      await getDefault();
      const token = newToken();
      changed(setHash.run(hash(token), await sealer.seal(token, SEAL_CONTEXT), DEFAULT_CLIENT));
      return { client: requireClient(DEFAULT_CLIENT), token };
    },
    tokens: () => (known ??= hashes.all()),
    authenticate(token) {
      const row = TOKEN.test(token) ? byHash.get(hash(token)) : undefined;
      return row && clientOfRow(row);
    },
    oauthClient(id) {
      const row = oauthById.get(id);
      return row && { client: clientOfRow(row), sha256: row.token_hash };
    },
    remove(id) {
      if (changed(remove.run(id)).changes === 0) throw new BursarError('NOT_FOUND', `There is no client ${id}.`, { context: { client: id } });
    },
  };
}

/** A new API key. */
export const newToken = (): string => `brs_${randomBytes(32).toString('base64url')}`;

/** A new client secret. It is no bearer token, and is not taken for one. */
export const newSecret = (): string => `brs_secret_${randomBytes(32).toString('base64url')}`;

/** Looking a token up by its hash leaks nothing through time: a guess cannot steer its own hash. */
const hash = (token: string): Uint8Array => createHash('sha256').update(token).digest();

const clientOfRow = ({ id, name, created_at: createdAt, credential, scopes, last_seen: lastSeen }: Row): Client => ({
  id,
  name,
  createdAt,
  credential,
  scopes: readScopes(scopes),
  ...(lastSeen !== null && { lastSeen }),
});
