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
  /** Address of the MCP endpoint without an upstream's name: `http://127.0.0.1:PORT/mcp`. */
  mcpUrl: z.string(),
  keys: z.object({
    backend: z.enum(['keychain', 'vault']),
    locked: z.boolean(),
    /** True where the vault's passphrase lies beside it: play money only. */
    passphraseBeside: z.boolean(),
  }),
  networks: z.array(z.object({ network: z.string(), name: z.string(), reachable: z.boolean() })),
  /** Plain sentences that the owner should read: a keychain that is missing, a network that is down, tampering. */
  warnings: z.array(z.string()),
});
export type AppStatus = z.infer<typeof AppStatus>;

export const appRoutes = {
  'app.status': route('read', Empty, AppStatus),
  /** An address of the headless dashboard that opens it once; empty in Electron. */
  'app.dashboard': route('read', Empty, z.object({ url: z.string() })),
  /** Enables a network, or sets other RPC addresses, from now on. Throws `NETWORK_UNSUPPORTED`, `HOME_NETWORK_MISMATCH`, `INPUT_INVALID`. */
  'networks.set': route('owner', z.object({ network: z.string().max(80), rpcUrls: z.array(z.url({ protocol: /^https?$/ })).min(1).max(10) }), Empty),
} as const;
