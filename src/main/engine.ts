import type { Approvals } from '../core/payments/approvals.ts';
import type { LoginItem } from '../shared/login-item.ts';
import type { UnderWay } from '../core/payments/under-way.ts';
import type { Environment } from '../shared/contract/app.ts';
import type { Home } from './adapters/home/home.ts';
import type { FileLog } from './adapters/home/log.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { ClientStore } from './adapters/store/clients.ts';
import type { Bridge } from './bridge/bridge.ts';
import type { ProgramFiles } from './program-files.ts';
import type { TouchId } from './presence/presence.ts';
import type { EventHub } from './rpc/event-hub.ts';
import type { DesktopDeps } from './rpc/handlers/desktop.ts';
import type { OwnerSessions } from './rpc/owner-sessions.ts';
import type { Router } from './rpc/router.ts';
import type { SecretsShown } from './rpc/secrets-shown.ts';
import type { Access } from './wire-access.ts';
import type { HostAbilities } from './wire-settings.ts';

export interface EngineOptions {
  readonly environment: Environment;
  readonly host: 'electron' | 'headless';
  /** The data folder; the environment's default folder without it. */
  readonly home?: string;
  readonly files: ProgramFiles;
  readonly version: string;
  /** Keeps the keys of a new data folder in a vault file although a keychain may be there: for folders that are thrown away. */
  readonly preferVault?: boolean;
  /** Begins an empty ledger where that of existing keys is lost, as the owner wishes. */
  readonly newLedger?: boolean;
  /** False for a command that only reads or changes settings: no sandbox is started and no payment followed. */
  readonly live: boolean;
  /** Opens a page in the owner's browser, where the host can. */
  readonly openExternal?: (url: string) => void;
  /** Asks for the person's finger, where host and machine can. */
  readonly touchId?: TouchId;
  /** Starts Bursar at login, where the host can. */
  readonly loginItem?: LoginItem;
  /** What else the host can do, for the settings. */
  readonly abilities?: HostAbilities;
  /** What the desktop application knows of itself; absent in the headless host. */
  readonly desktop?: DesktopDeps['desktop'];
}

/** How a listening application is reached. */
export interface Addresses {
  readonly mcpUrl: string;
  readonly dashboardUrl: () => string;
  /** Why HTTP clients cannot reach the address now; empty where they can. */
  readonly httpProblem: () => string;
}

/** Everything of the application but its carriers: the parts are wired here and nowhere else. */
export interface Engine {
  readonly home: Home;
  readonly router: Router;
  readonly events: EventHub;
  readonly bridge: Bridge;
  readonly approvals: Approvals;
  readonly sessions: OwnerSessions;
  readonly secretsShown: SecretsShown;
  readonly log: FileLog;
  readonly clients: ClientStore;
  readonly access: Access;
  readonly wallet: Wallet;
  /** Unlocks the keys, or makes them under this passphrase where they wait for the first one. Throws `PASSPHRASE_WRONG`. */
  unlock(passphrase: string): Promise<void>;
  /** Locks the keys and ends every owner session; does nothing where there is no passphrase that could unlock them again. */
  lock(): void;
  /** The code that the first passphrase needs outside of Electron's window; for the terminal, and for a command that opened the folder itself. */
  readonly setupCode: string;
  /** In words, for the owner. */
  readonly keysBackend: string;
  /** What the end of the application would come between now. */
  underWay(): UnderWay;
  upstreamNames(): readonly string[];
  /** Address of the sandbox's paid HTTP API; empty without a sandbox. */
  readonly paidApi: string;
  /** Says how the application is reached; known once it listens. */
  setAddresses(addresses: Addresses): void;
  close(): Promise<void>;
}
