import type { Clock } from '../../../core/ports.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** What a grant is bound to, and what may be read of it while the keys are locked. */
export interface GrantFacts {
  readonly issuer: string;
  readonly clientId: string;
  /** Resource indicator; empty where there is none. */
  readonly resource: string;
  readonly scope: string;
  /** Scopes to ask for at the next sign-in; empty where nothing more is wanted. */
  readonly wantedScope: string;
}

export interface StoredGrant extends GrantFacts {
  readonly upstream: string;
  /** True once its tokens are good for nothing any more. */
  readonly over: boolean;
}

/** The tokens of servers: one grant for a server, sealed, and bound to its address, its issuer, its client and its resource. */
export interface UpstreamGrants {
  get(upstream: string): StoredGrant | undefined;
  /** The text that was saved, where the grant is not over. Throws `WALLET_LOCKED`, and `DATABASE_CORRUPT` where a row was changed or the server's address is another now. */
  open(upstream: string, url: string): Promise<string | undefined>;
  /** Takes the place of what was there. `isCurrent` is asked in the moment of writing: false writes nothing. Throws `WALLET_LOCKED`. */
  save(upstream: string, url: string, grant: GrantFacts & { readonly secret: string }, isCurrent: () => boolean): Promise<void>;
  /** Notes what the next sign-in has to ask for. */
  want(upstream: string, scope: string): void;
  /** Throws the tokens away and keeps that the server needs some. */
  end(upstream: string): void;
  remove(upstream: string): void;
}

interface Row {
  readonly upstream: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly resource: string;
  readonly scope: string;
  readonly wanted_scope: string;
  readonly sealed: Uint8Array | null;
}

export function createUpstreamGrants(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): UpstreamGrants {
  const select = db.prepare<[string], Row>('SELECT * FROM upstream_grants WHERE upstream = ?');
  const put = db.prepare<[string, string, string, string, string, string, Uint8Array, number]>(
    `INSERT INTO upstream_grants (upstream, issuer, client_id, resource, scope, wanted_scope, sealed, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (upstream) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id, resource = excluded.resource, scope = excluded.scope,
       wanted_scope = excluded.wanted_scope, sealed = excluded.sealed, updated_at = excluded.updated_at`,
  );
  const want = db.prepare<[string, number, string]>('UPDATE upstream_grants SET wanted_scope = ?, updated_at = ? WHERE upstream = ?');
  const end = db.prepare<[number, string]>('UPDATE upstream_grants SET sealed = NULL, updated_at = ? WHERE upstream = ?');
  const remove = db.prepare<[string]>('DELETE FROM upstream_grants WHERE upstream = ?');

  return {
    get(upstream) {
      const row = select.get(upstream);
      return row && { upstream, issuer: row.issuer, clientId: row.client_id, resource: row.resource, scope: row.scope, wantedScope: row.wanted_scope, over: row.sealed === null };
    },
    async open(upstream, url) {
      const row = select.get(upstream);
      if (!row?.sealed) return undefined;
      return sealer.open(row.sealed, contextOf(upstream, url, { issuer: row.issuer, clientId: row.client_id, resource: row.resource }));
    },
    async save(upstream, url, { issuer, clientId, resource, scope, wantedScope, secret }, isCurrent) {
      const sealed = await sealer.seal(secret, contextOf(upstream, url, { issuer, clientId, resource }));
      if (isCurrent()) put.run(upstream, issuer, clientId, resource, scope, wantedScope, sealed, clock.now());
    },
    want: (upstream, scope) => void want.run(scope, clock.now(), upstream),
    end: (upstream) => void end.run(clock.now(), upstream),
    remove: (upstream) => void remove.run(upstream),
  };
}

const contextOf = (upstream: string, url: string, { issuer, clientId, resource }: Omit<GrantFacts, 'scope' | 'wantedScope'>): string => `upstream-grant:${JSON.stringify([upstream, url, issuer, clientId, resource])}`;
