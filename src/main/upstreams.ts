import type { UpstreamTransport } from '../shared/contract/upstreams.ts';
import { isBursarError } from '../shared/errors/errors.ts';
import type { PublicTransport, StoredUpstream, UpstreamStore } from './adapters/store/upstreams.ts';
import type { UpstreamAuthorization, UpstreamSpec } from './bridge/upstream.ts';
import type { AuthServer, UpstreamAuths } from './upstream-auth/upstream-auth.ts';

/** The owner's servers, with their secrets opened and at hand for the bridge, which asks without waiting. */
export interface Upstreams {
  list(): readonly StoredUpstream[];
  /** Names of the enabled ones, without a look into the database: the route to all servers asks with every call. */
  enabled(): readonly string[];
  /** An enabled server, ready to be reached; undefined while its secrets cannot be opened because the keys are locked. */
  spec(name: string): UpstreamSpec | undefined;
  /** What is known of a server without its secrets. */
  find(name: string): StoredUpstream | undefined;
  add(name: string, transport: UpstreamTransport): Promise<StoredUpstream>;
  /** Adds or replaces; used for the sandbox's demo server, whose address changes at every start. */
  put(name: string, transport: UpstreamTransport): Promise<void>;
  remove(name: string): Promise<void>;
  /** Throws `UPSTREAM_UNKNOWN`. */
  setEnabled(name: string, enabled: boolean): Promise<StoredUpstream>;
  /** Reads everything anew; call it after an unlock. */
  reload(): Promise<void>;
}

export async function createUpstreamRegistry(store: UpstreamStore, auths?: Pick<UpstreamAuths, 'of' | 'reload'>): Promise<Upstreams> {
  let specs = new Map<string, UpstreamSpec>();
  let names: readonly string[] = [];

  const reload = async () => {
    const opened = new Map<string, UpstreamTransport>();
    const servers: AuthServer[] = [];
    const enabled = store.list().filter((upstream) => upstream.enabled);
    for (const { name, transport: known } of enabled) {
      try {
        const transport = await store.transport(name);
        opened.set(name, transport);
        if (transport.kind === 'http') servers.push({ name, url: transport.url, ...(transport.auth && { auth: transport.auth }) });
      } catch (error) {
        if (!isBursarError(error, 'WALLET_LOCKED')) throw error; // a locked server joins at the next reload
        // One whose sign-in alone is locked is there, and says so itself.
        if (known.kind !== 'http' || known.headerNames.length > 0) continue;
        opened.set(name, { kind: 'http', url: known.url, headers: {} });
        servers.push({ name, url: known.url, ...(known.auth && { auth: known.auth }) });
      }
    }
    await auths?.reload(servers);
    specs = new Map([...opened].map(([name, transport]) => [name, specOf(name, transport, auths?.of(name))]));
    names = enabled.map(({ name }) => name);
  };
  const find = (name: string) => store.list().find((upstream) => upstream.name === name);
  const remove = async (name: string) => {
    store.remove(name);
    await reload();
  };
  const add = async (name: string, transport: UpstreamTransport) => {
    const added = await store.add(name, transport);
    await reload();
    return added;
  };

  await reload();
  return {
    list: () => store.list(),
    enabled: () => names,
    spec: (name) => specs.get(name),
    find,
    add,
    async put(name, transport) {
      if (find(name)) store.remove(name);
      await add(name, transport);
    },
    remove,
    async setEnabled(name, enabled) {
      store.setEnabled(name, enabled);
      await reload();
      return store.get(name);
    },
    reload,
  };
}

/** What the bridge gets of a server: nothing of how its tokens are got. */
function specOf(name: string, transport: UpstreamTransport, authorization: UpstreamAuthorization | undefined): UpstreamSpec {
  if (transport.kind === 'stdio') return { name, transport };
  const { auth: _auth, ...reached } = transport;
  return { name, transport: reached, ...(authorization && { authorization }) };
}

/** How a server is reached, for people to read: its URL, or its command line. */
export const upstreamAddress = (transport: PublicTransport): string =>
  transport.kind === 'http' ? transport.url : [transport.command, ...transport.args].map(quoted).join(' ');

const quoted = (word: string): string => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word));
