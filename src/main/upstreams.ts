import type { UpstreamTransport } from '../shared/contract/upstreams.ts';
import { isBursarError } from '../shared/errors/errors.ts';
import type { PublicTransport, StoredUpstream, UpstreamStore } from './adapters/store/upstreams.ts';
import type { UpstreamSpec } from './bridge/upstream.ts';

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
  /** Reads everything anew; call it after an unlock. */
  reload(): Promise<void>;
}

export async function createUpstreamRegistry(store: UpstreamStore): Promise<Upstreams> {
  let specs = new Map<string, UpstreamSpec>();
  let names: readonly string[] = [];

  const reload = async () => {
    const opened = new Map<string, UpstreamSpec>();
    const enabled = store.list().flatMap((upstream) => (upstream.enabled ? [upstream.name] : []));
    for (const name of enabled) {
      try {
        opened.set(name, { name, transport: await store.transport(name) });
      } catch (error) {
        if (!isBursarError(error, 'WALLET_LOCKED')) throw error; // a locked server joins at the next reload
      }
    }
    specs = opened;
    names = enabled;
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
    reload,
  };
}

/** How a server is reached, for people to read: its URL, or its command line. */
export const upstreamAddress = (transport: PublicTransport): string =>
  transport.kind === 'http' ? transport.url : [transport.command, ...transport.args].map(quoted).join(' ');

const quoted = (word: string): string => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word));
