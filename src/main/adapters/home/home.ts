import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { findNetwork, NETWORKS } from '../../../core/registry/networks.ts';
import type { Environment } from '../../../shared/contract/app.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { defaultConfig, networkProblem, readConfig, writeConfig, type Config } from './config.ts';
import { FOLDER_MODE } from './files.ts';
import { lockEngine } from './lock.ts';
import { finishMove, isMoving } from './move-aside.ts';

/** Where things lie in a data folder. */
export interface HomePaths {
  readonly config: string;
  readonly database: string;
  readonly vault: string;
  /** Passphrase of a vault of play money, beside it. */
  readonly vaultPassphrase: string;
  /** Lock, pid, socket. */
  readonly run: string;
  readonly log: string;
}

/** An open data folder; this process alone has it until {@link Home.close}. */
export interface Home {
  readonly folder: string;
  readonly environment: Environment;
  readonly paths: HomePaths;
  config(): Config;
  /** Writes the file before it returns. Environment and id cannot be changed. */
  update(change: Partial<Pick<Config, 'port' | 'networks' | 'keys' | 'clientSettlement' | 'lockAfterMinutes' | 'lockOn' | 'checkForUpdates' | 'lowBalance' | 'backedUpAt' | 'claims' | 'notifications' | 'onboarding'>>): Config;
  /** Enables a network, or sets other RPC addresses. Throws `NETWORK_UNSUPPORTED`, `HOME_NETWORK_MISMATCH`, `INPUT_INVALID`. */
  setNetwork(id: string, rpcUrls: readonly string[]): Config;
  /** Disables a network; its RPC addresses are forgotten. Throws `NOT_FOUND` where it is not enabled. */
  dropNetwork(id: string): Config;
  /** Throws `NETWORK_UNSUPPORTED` or `HOME_NETWORK_MISMATCH` for a network that this folder cannot have. */
  requireOwnNetwork(id: string): void;
  /** Writes another configuration of this folder before it returns. */
  replace(next: Config): Config;
  /** Sets the facilitators of a network, or of every other one (`*`); without addresses, those that were set end. Throws as {@link Home.setNetwork} does. */
  setFacilitators(id: string, urls: readonly string[]): Config;
  /** Sets the Bazaars that are searched; without addresses, those that were set end. */
  setBazaars(urls: readonly string[]): Config;
  close(): void;
}

export interface HomeOptions {
  readonly environment: Environment;
  /** The folder itself (`--home`). It goes before `BURSAR_HOME`, which goes before the platform's default. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/** Absolute path of the data folder that the options name. */
export function locateHome({ environment, home, env = process.env, platform = process.platform }: HomeOptions): string {
  const given = home ?? env.BURSAR_HOME;
  if (given) return resolve(given);
  const user = (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir();
  if (platform === 'darwin') return join(user, 'Library', 'Application Support', 'Bursar', environment);
  if (platform === 'win32') return join(env.APPDATA || join(user, 'AppData', 'Roaming'), 'Bursar', environment);
  // A relative XDG path is invalid and to be ignored (XDG Base Directory Specification).
  const data = env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : join(user, '.local', 'share');
  return join(data, 'bursar', environment);
}

/** Where things lie in a folder. */
export const homePaths = (folder: string): HomePaths => ({
  config: join(folder, 'config.json'),
  database: join(folder, 'bursar.db'),
  vault: join(folder, 'vault.json'),
  vaultPassphrase: join(folder, 'vault.passphrase'),
  run: join(folder, 'run'),
  log: join(folder, 'logs', 'bursar.log'),
});

/**
 * Opens a data folder, making it at first use; what was being put aside goes first. Throws `CONFIG_CORRUPT` or `HOME_NETWORK_MISMATCH` before anything is touched, and
 * `HOME_IN_USE`.
 */
export function openHome(options: HomeOptions): Home {
  const folder = locateHome(options);
  const paths = homePaths(folder);
  if (!isMoving(folder)) check(folder, paths, options.environment);
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  if (process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0) chmodSync(folder, FOLDER_MODE);
  const lock = lockEngine(folder);
  try {
    finishMove(folder);
    let config = check(folder, paths, options.environment);
    if (!config) {
      config = defaultConfig(options.environment, randomBytes(8).toString('hex'));
      writeConfig(paths.config, config);
    }
    return createHome(folder, paths, config, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Reads the configuration and compares it with what is asked for. */
function check(folder: string, paths: HomePaths, environment: Environment): Config | undefined {
  const config = readConfig(paths.config);
  if (!config) {
    // Making a new one would forget where the keys are.
    const orphan = [paths.database, paths.vault].find((path) => existsSync(path));
    if (orphan) throw new BursarError('CONFIG_CORRUPT', `The configuration file ${paths.config} is missing although ${orphan} is there.`, { context: { path: paths.config } });
    return undefined;
  }
  if (config.environment !== environment) {
    throw new BursarError('HOME_NETWORK_MISMATCH', `The data folder ${folder} is for ${config.environment}, not for ${environment}.`, {
      context: { home: folder, environment: config.environment },
    });
  }
  return config;
}

function createHome(folder: string, paths: HomePaths, initial: Config, close: () => void): Home {
  let config = initial;
  const replace: Home['replace'] = (next) => {
    writeConfig(paths.config, next);
    config = next;
    return config;
  };
  const update: Home['update'] = (change) => replace({ ...config, ...change });
  const requireOwnNetwork = (id: string): void => {
    const network = findNetwork(id);
    if (!network) {
      const known = NETWORKS.filter((each) => networkProblem(config.environment, each.id) === undefined).map((each) => each.id);
      throw new BursarError('NETWORK_UNSUPPORTED', `The network "${id.slice(0, 80)}" is not known.`, { hint: `Give one of: ${known.join(', ')}.`, context: { network: id.slice(0, 80) } });
    }
    const why = networkProblem(config.environment, id);
    if (why) throw new BursarError('HOME_NETWORK_MISMATCH', `${network.name} (${id}) ${why}.`, { context: { network: id, environment: config.environment } });
  };
  return {
    folder,
    environment: config.environment,
    paths,
    config: () => config,
    update,
    replace,
    setFacilitators(id, urls) {
      if (id !== '*') requireOwnNetwork(id);
      const { [id]: _before, ...others } = config.facilitators ?? {};
      const { facilitators: _all, ...rest } = config;
      const facilitators = urls.length === 0 ? others : { ...others, [id]: [...urls] };
      return replace(Object.keys(facilitators).length === 0 ? rest : { ...rest, facilitators });
    },
    setBazaars(urls) {
      const { bazaars: _, ...rest } = config;
      return replace(urls.length === 0 ? rest : { ...rest, bazaars: [...urls] });
    },
    requireOwnNetwork,
    dropNetwork(id) {
      const { [id]: found, ...others } = config.networks;
      if (!found) throw new BursarError('NOT_FOUND', `The network "${id.slice(0, 80)}" is not enabled.`, { hint: 'Nothing was changed.', context: { network: id.slice(0, 80) } });
      return update({ networks: others });
    },
    setNetwork(id, rpcUrls) {
      requireOwnNetwork(id);
      const wrong = rpcUrls.find((url) => !/^https?:\/\/./.test(url) || !URL.canParse(url));
      if (rpcUrls.length === 0 || wrong !== undefined) {
        throw new BursarError('INPUT_INVALID', wrong === undefined ? 'No RPC address was given.' : 'An RPC address is not an http or https URL.', {
          context: { network: id },
        });
      }
      return update({ networks: { ...config.networks, [id]: { ...config.networks[id], rpcUrls: [...rpcUrls] } } });
    },
    close,
  };
}
