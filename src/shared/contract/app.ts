import { z } from 'zod';
import { route } from './route.ts';
import { Empty } from './values.ts';

/** Kind of money that a data folder is for. It never changes for a folder. */
export const Environment = z.enum(['sandbox', 'testnet', 'mainnet']);
export type Environment = z.infer<typeof Environment>;

export const AppStatus = z.object({
  version: z.string(),
  environment: Environment,
  host: z.enum(['electron', 'headless']),
  home: z.string(),
  /** Begin of a command line for this data folder; the words of a command go after it. */
  commandLine: z.string(),
  /** Address of the MCP endpoint without an upstream's name: `http://127.0.0.1:PORT/mcp`. */
  mcpUrl: z.string(),
  keys: z.object({
    backend: z.enum(['keychain', 'vault']),
    locked: z.boolean(),
    /** True where the vault's passphrase lies beside it: play money only. */
    passphraseBeside: z.boolean(),
    /** True where the keychain's items also lie under the owner's passphrase. */
    sealed: z.boolean().optional(),
  }),
  networks: z.array(z.object({ network: z.string(), name: z.string(), reachable: z.boolean() })),
  /** Plain sentences that the owner should read: a keychain that is missing, a network that is down, tampering. */
  warnings: z.array(z.string()),
});
export type AppStatus = z.infer<typeof AppStatus>;

/** One thing that Bursar looked at in itself, for `bursar doctor`. */
export const Check = z.object({
  /** A short stable name: `keys`, `ledger`, `network eip155:8453`. */
  name: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  /** What was found, as a sentence. */
  text: z.string(),
  /** What to do about it; empty where nothing is to be done. */
  todo: z.string(),
});
export type Check = z.infer<typeof Check>;

const HttpUrls = z.array(z.url({ protocol: /^https?$/ })).min(1).max(10);
/** A network by its CAIP-2 id, or `*` for every network without facilitators of its own. */
const FacilitatorsFor = z.string().regex(/^(?:\*|[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,64})$/, 'name a network (eip155:8453), or * for all others');

export const appRoutes = {
  'app.status': route('read', Empty, AppStatus),
  /** An address of the headless dashboard that opens it once; empty in Electron. */
  'app.dashboard': route('read', Empty, z.object({ url: z.string() })),
  /** Enables a network, or sets other RPC addresses, from now on. Throws `NETWORK_UNSUPPORTED`, `HOME_NETWORK_MISMATCH`, `INPUT_INVALID`. */
  'networks.set': route('owner', z.object({ network: z.string().max(80), rpcUrls: HttpUrls }), Empty),
  /** Keys, ledger, networks and their clocks, clients and servers. It asks networks and, where `servers` is true, starts servers; it pays nothing. */
  'app.checkup': route('read', z.object({ servers: z.boolean().default(true) }), z.object({ checks: z.array(Check) })),
  /** Whom Bursar asks where it settles itself, the first one first; `own` is false where that is the built-in list. */
  'facilitators.list': route('read', Empty, z.object({ facilitators: z.array(z.object({ network: z.string(), urls: z.array(z.string()), own: z.boolean() })) })),
  /** Throws `NETWORK_UNSUPPORTED`, `HOME_NETWORK_MISMATCH`. */
  'facilitators.set': route('owner', z.object({ network: FacilitatorsFor, urls: HttpUrls }), Empty),
  /** Back to the built-in list: for one network, or for all. Throws `NOT_FOUND` where none was set. */
  'facilitators.reset': route('owner', z.object({ network: FacilitatorsFor.optional() }), Empty),
} as const;
