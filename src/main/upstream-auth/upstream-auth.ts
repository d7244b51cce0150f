import type { Log } from '../../core/ports.ts';
import type { AuthorizationView, UpstreamAuth } from '../../shared/contract/upstreams.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { UpstreamGrants } from '../adapters/store/upstream-grants.ts';
import type { UpstreamAuthorization } from '../bridge/upstream.ts';
import type { Resolve } from '../http-buyer/address-guard.ts';
import { addressRule } from './addresses.ts';
import { createAuthFetch } from './auth-fetch.ts';
import { createTokenKeeper, type TokenKeeper } from './token-keeper.ts';

/** An HTTP server as its sign-in has to know it. */
export interface AuthServer {
  readonly name: string;
  readonly url: string;
  readonly auth?: UpstreamAuth;
}

/** The sign-ins of all HTTP servers. One process owns them; only an owner's act begins one that needs a browser (I7). */
export interface UpstreamAuths {
  /** What the bridge asks for tokens; undefined for a server without an HTTP address. */
  of(name: string): UpstreamAuthorization | undefined;
  view(name: string): AuthorizationView | undefined;
  /** See the route `upstreams.authorize`. */
  begin(name: string): Promise<string>;
  /** See the route `upstreams.authorized`. */
  ended(name: string, withinMs: number): Promise<AuthorizationView>;
  signOut(name: string): Promise<void>;
  /** Servers for which the owner has to sign in. */
  waiting(): readonly string[];
  /** Takes in which servers there are now; call it after a change of them, a lock and an unlock. */
  reload(servers: readonly AuthServer[]): Promise<void>;
  close(): Promise<void>;
}

export interface UpstreamAuthOptions {
  readonly grants: UpstreamGrants;
  /** Hosts that the owner opened although they are private. */
  readonly isOpenHost: (url: URL) => boolean;
  /** Address of Bursar's client id metadata document, where one is published. */
  readonly clientMetadataUrl: () => string | undefined;
  readonly locked: () => boolean;
  /** The whole command line of some words. */
  readonly command: (words: string) => string;
  readonly now: () => number;
  readonly changed: () => void;
  readonly log: Log;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

const NO_TOKENS: AuthorizationView = { kind: 'oauth', state: 'needed', issuer: '', scope: '', why: '' };

export function createUpstreamAuths({ resolve, timeoutMs, isOpenHost, command, ...shared }: UpstreamAuthOptions): UpstreamAuths {
  let keepers = new Map<string, { readonly server: AuthServer; readonly keeper: TokenKeeper }>();

  const keeperFor = (server: AuthServer): TokenKeeper => {
    const rule = addressRule(new URL(server.url), isOpenHost);
    return createTokenKeeper({
      ...shared,
      upstream: server.name,
      url: server.url,
      auth: server.auth,
      rule,
      fetch: createAuthFetch({ rule, ...(resolve && { resolve }), ...(timeoutMs !== undefined && { timeoutMs }) }),
      command: command(`upstream authorize ${server.name}`),
    });
  };
  const require = (name: string): TokenKeeper => {
    const found = keepers.get(name);
    if (!found) throw new BursarError('UPSTREAM_UNKNOWN', `There is no server "${name}" that is reached over HTTP.`, { context: { upstream: name } });
    return found.keeper;
  };

  return {
    of: (name) => keepers.get(name)?.keeper,
    view: (name) => keepers.get(name)?.keeper.view(),
    begin: async (name) => require(name).begin(),
    async ended(name, withinMs) {
      const keeper = require(name);
      await keeper.ended(AbortSignal.timeout(withinMs));
      return keeper.view() ?? NO_TOKENS;
    },
    signOut: async (name) => require(name).signOut(),
    waiting: () => [...keepers].filter(([, { keeper }]) => keeper.view()?.state === 'needed').map(([name]) => name),
    async reload(servers) {
      const before = keepers;
      keepers = new Map(
        servers.map((server) => {
          const known = before.get(server.name);
          const isSame = known !== undefined && known.server.url === server.url && JSON.stringify(known.server.auth) === JSON.stringify(server.auth);
          return [server.name, isSame ? known : { server, keeper: keeperFor(server) }];
        }),
      );
      const gone = [...before.values()].filter(({ server, keeper }) => keepers.get(server.name)?.keeper !== keeper);
      await Promise.all(gone.map(({ keeper }) => keeper.close()));
      await Promise.all([...keepers.values()].map(({ keeper }) => keeper.reload()));
    },
    async close() {
      await Promise.all([...keepers.values()].map(({ keeper }) => keeper.close()));
    },
  };
}
