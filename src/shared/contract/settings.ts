import { z } from 'zod';
import { Environment } from './app.ts';
import { route } from './route.ts';
import { Empty } from './values.ts';

/** What the desktop may tell its owner of while no window of Bursar has the focus. */
export const NotificationKind = z.enum(['approvals', 'warnings']);
export type NotificationKind = z.infer<typeof NotificationKind>;

/** Where test money is given away; a page that only its reader opens. */
export const FaucetView = z.object({ name: z.string(), url: z.string(), gives: z.string() });
export type FaucetView = z.infer<typeof FaucetView>;

export const NetworkSetting = z.object({
  /** CAIP-2 id. */
  network: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  /** The addresses in force, the first one asked first; those that come with Bursar where the network is not enabled. */
  rpcUrls: z.array(z.string()),
  /** Those that come with Bursar; empty where it has none. */
  builtIn: z.array(z.string()),
  faucets: z.array(FaucetView),
});
export type NetworkSetting = z.infer<typeof NetworkSetting>;

export const SettingsView = z.object({
  /** Every network of this kind of money; those that are enabled first. */
  networks: z.array(NetworkSetting),
  /** False on play money, whose networks the sandbox brings. */
  networksChange: z.boolean(),
  notifications: z.object({
    /** False where the host has none. */
    supported: z.boolean(),
    on: z.record(NotificationKind, z.boolean()),
  }),
  autostart: z.object({ supported: z.boolean(), on: z.boolean() }),
  folder: z.object({
    path: z.string(),
    /** True where the host can open it in the file manager. */
    opens: z.boolean(),
  }),
  /** How each kind of money is started, as a command line; empty for one that this program does not bring. */
  starts: z.object({ sandbox: z.string(), testnet: z.string(), mainnet: z.string() }),
  /** True where `settings.start` starts them. */
  startsByItself: z.boolean(),
  reset: z.object({
    /** What has to be typed. */
    word: z.string(),
    /** True where the folder is kept beside and not deleted. */
    keeps: z.boolean(),
    /** True where the passphrase is asked for with it. */
    passphrase: z.boolean(),
  }),
});
export type SettingsView = z.infer<typeof SettingsView>;

/** What one RPC address answered. `wrong-network`: it serves another one. */
export const RpcCheck = z.object({ url: z.string(), state: z.enum(['ok', 'wrong-network', 'unreachable']), text: z.string() });
export type RpcCheck = z.infer<typeof RpcCheck>;

const NetworkName = z.string().max(80);
const RpcUrls = z.array(z.url({ protocol: /^https?$/ })).min(1).max(10);

export const settingsRoutes = {
  'settings.get': route('read', Empty, SettingsView),
  /** Changes what is named. Throws `FORBIDDEN` where the host cannot start Bursar at sign-in, `LOGIN_ITEM_FAILED`. */
  'settings.set': route('owner', z.object({ notifications: z.partialRecord(NotificationKind, z.boolean()).optional(), autostart: z.boolean().optional() }), SettingsView),
  /** Opens the data folder in the file manager. Throws `FORBIDDEN` where the host cannot. */
  'settings.openFolder': route('owner', Empty, Empty),
  /** Starts the Bursar of another kind of money, in windows of its own; one that runs comes forward. Throws `FORBIDDEN` where the host cannot. */
  'settings.start': route('owner', z.object({ environment: Environment }), Empty),
  /** Asks each address which network it serves. Saves nothing. Throws `NETWORK_UNSUPPORTED`, `HOME_NETWORK_MISMATCH`. */
  'settings.checkRpc': route('owner', z.object({ network: NetworkName, rpcUrls: RpcUrls }), z.object({ checks: z.array(RpcCheck) })),
  /** Disables a network; its own addresses are forgotten. Throws `NOT_FOUND` where it is not enabled, `NETWORK_BUSY` while money may move there. */
  'networks.disable': route('owner', z.object({ network: NetworkName }), Empty),
  /**
   * Ends Bursar and empties its data folder. A folder of play money is deleted; any other is moved beside, and `keptIn` says where. Keys in a
   * keychain stay there with what was moved. Throws `INPUT_INVALID` where the word is not the one of `settings.get`, `PASSPHRASE_WRONG`,
   * `PASSPHRASE_BUSY`.
   */
  'settings.reset': route('owner', z.object({ word: z.string().max(100), passphrase: z.string().max(1024).optional() }), z.object({ keptIn: z.string() })),
} as const;
