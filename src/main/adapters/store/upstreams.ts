import type { Clock } from '../../../core/ports.ts';
import type { UpstreamAuth, UpstreamTransport } from '../../../shared/contract/upstreams.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** How tokens are got, without the secrets of that. */
export type PublicAuth =
  | Omit<Extract<UpstreamAuth, { kind: 'oauth' }>, 'clientSecret'>
  | Omit<Extract<UpstreamAuth, { kind: 'client-credentials' }>, 'clientSecret' | 'privateKey'>;

/** A transport without the values of its headers or variables, which may be secrets. */
export type PublicTransport =
  | { readonly kind: 'http'; readonly url: string; readonly headerNames: readonly string[]; readonly auth?: PublicAuth }
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly envNames: readonly string[] };

export interface StoredUpstream {
  readonly name: string;
  readonly transport: PublicTransport;
  readonly enabled: boolean;
  readonly addedAt: number;
}

export interface UpstreamStore {
  /** By name. */
  list(): readonly StoredUpstream[];
  /** Throws `UPSTREAM_UNKNOWN`. */
  get(name: string): StoredUpstream;
  /** The whole transport. Throws `UPSTREAM_UNKNOWN`, and `WALLET_LOCKED` when it has secrets and the keys are locked. */
  transport(name: string): Promise<UpstreamTransport>;
  /** Throws `INPUT_INVALID` when the name is taken, and `WALLET_LOCKED` as {@link UpstreamStore.transport} does. */
  add(name: string, transport: UpstreamTransport): Promise<StoredUpstream>;
  /** Throws `UPSTREAM_UNKNOWN`. */
  setEnabled(name: string, enabled: boolean): void;
  /** Throws `UPSTREAM_UNKNOWN`. */
  remove(name: string): void;
}

interface Row {
  readonly name: string;
  readonly transport: string;
  readonly sealed_secrets: Uint8Array | null;
  readonly sealed_auth: Uint8Array | null;
  readonly enabled: 0 | 1;
  readonly added_at: number;
}

export function createUpstreams(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): UpstreamStore {
  const select = db.prepare<[string], Row>('SELECT * FROM upstreams WHERE name = ?');
  const all = db.prepare<[], Row>('SELECT * FROM upstreams ORDER BY name');
  const insert = db.prepare<[string, string, Uint8Array | null, Uint8Array | null, number]>(
    'INSERT INTO upstreams (name, transport, sealed_secrets, sealed_auth, enabled, added_at) VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT (name) DO NOTHING',
  );
  const enable = db.prepare<[number, string]>('UPDATE upstreams SET enabled = ? WHERE name = ?');
  const remove = db.prepare<[string]>('DELETE FROM upstreams WHERE name = ?');

  const require = (name: string): Row => {
    const row = select.get(name);
    if (!row) throw unknown(name);
    return row;
  };

  const sealAuth = async (name: string, transport: UpstreamTransport): Promise<Uint8Array | null> => {
    const secrets = transport.kind === 'http' && transport.auth ? secretsOf(transport.auth) : {};
    return transport.kind === 'http' && Object.keys(secrets).length > 0 ? sealer.seal(JSON.stringify(secrets), authContext(name, transport.url, transport.auth && publicAuth(transport.auth))) : null;
  };

  return {
    list: () => all.all().map(upstreamOfRow),
    get: (name) => upstreamOfRow(require(name)),
    async transport(name) {
      const row = require(name);
      const secrets = row.sealed_secrets ? parseSecrets(await sealer.open(row.sealed_secrets, sealContext(name))) : {};
      const transport = upstreamOfRow(row).transport;
      if (transport.kind === 'http') {
        const { url, auth } = transport;
        const authSecrets = row.sealed_auth ? parseSecrets(await sealer.open(row.sealed_auth, authContext(name, url, auth))) : {};
        return { kind: 'http', url, headers: secrets, ...(auth && { auth: { ...auth, ...authSecrets } }) };
      }
      return { kind: 'stdio', command: transport.command, args: [...transport.args], env: secrets };
    },
    async add(name, transport) {
      const secrets = transport.kind === 'http' ? transport.headers : transport.env;
      const sealed = Object.keys(secrets).length > 0 ? await sealer.seal(JSON.stringify(secrets), sealContext(name)) : null;
      const { changes } = insert.run(name, JSON.stringify(publicTransport(transport)), sealed, await sealAuth(name, transport), clock.now());
      if (changes === 0) throw new BursarError('INPUT_INVALID', `There is a server "${name}" already.`, { context: { upstream: name } });
      return upstreamOfRow(require(name));
    },
    setEnabled(name, enabled) {
      if (enable.run(enabled ? 1 : 0, name).changes === 0) throw unknown(name);
    },
    remove(name) {
      if (remove.run(name).changes === 0) throw unknown(name);
    },
  };
}

const unknown = (name: string) => new BursarError('UPSTREAM_UNKNOWN', `There is no server "${name}".`, { context: { upstream: name } });

const sealContext = (name: string): string => `upstream:${name}`;

/** Bound to the address and the issuer: whoever writes another one into the database gets no secret sent there. */
const authContext = (name: string, url: string, auth: PublicAuth | undefined): string => `upstream-auth:${JSON.stringify([name, url, auth])}`;

function secretsOf(auth: UpstreamAuth): Record<string, string> {
  const { clientSecret } = auth;
  const privateKey = auth.kind === 'client-credentials' ? auth.privateKey : undefined;
  return { ...(clientSecret !== undefined && { clientSecret }), ...(privateKey !== undefined && { privateKey }) };
}

function publicAuth(auth: UpstreamAuth): PublicAuth {
  if (auth.kind === 'oauth') {
    const { clientSecret: _secret, ...rest } = auth;
    return rest;
  }
  const { clientSecret: _secret, privateKey: _key, ...rest } = auth;
  return rest;
}

const publicTransport = (transport: UpstreamTransport): PublicTransport =>
  transport.kind === 'http'
    ? { kind: 'http', url: transport.url, headerNames: Object.keys(transport.headers), ...(transport.auth && { auth: publicAuth(transport.auth) }) }
    : { kind: 'stdio', command: transport.command, args: transport.args, envNames: Object.keys(transport.env) };

const parseSecrets = (text: string): Record<string, string> => JSON.parse(text);
const parseTransport = (text: string): PublicTransport => JSON.parse(text);

const upstreamOfRow = (row: Row): StoredUpstream => ({
  name: row.name,
  transport: parseTransport(row.transport),
  enabled: row.enabled === 1,
  addedAt: row.added_at,
});
