import type { Clock, Journal } from '../core/ports.ts';
import { faucetsOf } from '../core/registry/faucets.ts';
import { requireNetwork, type NetworkId } from '../core/registry/networks.ts';
import type { Environment } from '../shared/contract/app.ts';
import type { SettingsView } from '../shared/contract/settings.ts';
import type { LoginItem } from '../shared/login-item.ts';
import type { NetworkOptions } from './adapters/chain/chains.ts';
import { locateHome, type Home } from './adapters/home/home.ts';
import { itemsOf } from './adapters/keys/items.ts';
import { createKeychain } from './adapters/keys/keychain.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import { createAccounts } from './adapters/store/accounts.ts';
import type { Db } from './adapters/store/database.ts';
import { bursarCommand } from './bursar-command.ts';
import { installedCommand } from './program-files.ts';
import { desktopHandlers, type DesktopDeps } from './rpc/handlers/desktop.ts';
import { onboardingHandlers, type OnboardingDeps } from './rpc/handlers/onboarding.ts';
import { settingsHandlers } from './rpc/handlers/settings.ts';
import { requireAtRest } from './settings/at-rest.ts';
import { checkRpc } from './settings/check-rpc.ts';
import { networkSettings } from './settings/network-settings.ts';
import { planReset, type Reset } from './settings/reset-home.ts';

/** What the host can do for the settings; each is left out where it cannot. */
export interface HostAbilities {
  /** Opens a folder in the file manager. */
  readonly openFolder?: (path: string) => Promise<void>;
  /** True where the host shows notifications. */
  readonly notifies?: boolean;
  /** The program itself, of an installed application; a checkout is started by npm. */
  readonly program?: string;
  /** Starts the application for another kind of money. */
  readonly start?: (environment: Environment) => Promise<void>;
  /** Ends the application as its owner would. */
  readonly end?: () => void;
}

export interface SettingsParts {
  readonly home: Home;
  readonly db: Db;
  readonly wallet: Wallet;
  readonly clock: Clock;
  readonly abilities: HostAbilities;
  readonly loginItem?: LoginItem;
  readonly desktop: DesktopDeps['desktop'];
  /** The networks in force, also those of a sandbox. */
  readonly networks: () => Readonly<Partial<Record<NetworkId, NetworkOptions>>>;
  /** Address of the sandbox's paid HTTP API; empty without a sandbox. */
  readonly paidApi: string;
  readonly journal: Pick<Journal, 'unresolved'>;
  readonly buy: OnboardingDeps['buy'];
  readonly dropNetwork: (network: string, requireFree: () => void) => Promise<void>;
  /** How many escrows, approvals of spending and the like are under way on a network, beside payments. */
  readonly underWay: (network: string) => number;
  readonly changed: () => void;
}

export interface Settings {
  readonly handlers: ReturnType<typeof settingsHandlers> & ReturnType<typeof onboardingHandlers> & ReturnType<typeof desktopHandlers>;
  /** Empties the data folder, where the owner asked for it. To be called last, when nothing in it is open but its lock. */
  finish(): Promise<void>;
}

/** What a paid call of the first steps buys of the sandbox's API. */
const DEMO_PATH = '/x402-v2/sun_times?latitude=52.5&longitude=13.4&date=2026-06-21';

/** So long (ms) the application goes on after it was asked to end, that its answer reaches whoever asked. */
const END_AFTER_MS = 500;

/** The routes of the settings and the first steps. */
export function wireSettings({ home, db, wallet, clock, abilities, loginItem, desktop, networks, paidApi, journal, buy, dropNetwork, underWay, changed }: SettingsParts): Settings {
  const { environment } = home;
  const isPlay = environment === 'sandbox';
  const notified = () => home.config().notifications ?? {};
  let reset: Reset | undefined;

  const forgetKeys = (): (() => Promise<void>) => {
    if (wallet.backend !== 'keychain') return () => Promise.resolve();
    const keychain = createKeychain(home.config().homeId);
    const items = [...itemsOf(createAccounts(db)), 'owner', 'seal'] as const;
    return async () => {
      for (const item of items) await keychain.delete(item);
    };
  };

  return {
    finish: async () => reset?.run(),
    handlers: {
      ...settingsHandlers({
        networks: () => networkSettings(environment, networks()),
        networksChange: !isPlay,
        checkRpc(id, urls) {
          home.requireOwnNetwork(id);
          return checkRpc(requireNetwork(id).id, urls);
        },
        disableNetwork: (id) => dropNetwork(id, () => requireAtRest(id, journal, underWay(id))),
        notifications: { supported: abilities.notifies ?? false, get: notified, set: (on) => void home.update({ notifications: on }) },
        ...(loginItem && { loginItem }),
        folder: home.folder,
        ...(abilities.openFolder && { openFolder: abilities.openFolder }),
        starts: startCommands(abilities.program),
        ...(abilities.start && { start: abilities.start }),
        reset: {
          word: isPlay ? 'delete' : 'move',
          keeps: !isPlay,
          needsPassphrase: () => environment === 'mainnet' || (environment === 'testnet' && wallet.passphraseSet),
          verifyPassphrase: (passphrase) => wallet.verifyPassphrase(passphrase),
          begin() {
            reset ??= planReset({ folder: home.folder, environment, now: clock.now(), forgetKeys: forgetKeys() });
            clock.after(END_AFTER_MS, () => abilities.end?.());
            return reset.keptIn;
          },
        },
        changed,
      }),
      ...desktopHandlers({
        config: () => home.config(),
        update(change) {
          home.update(change);
          changed();
        },
        desktop,
      }),
      ...onboardingHandlers({
        get: () => home.config().onboarding ?? { closed: false, passed: [] },
        keep: ({ closed, passed }) => void home.update({ onboarding: { closed, passed: [...passed] } }),
        ...(paidApi && { demo: `${paidApi}${DEMO_PATH}` }),
        buy,
        faucets: () =>
          environment !== 'testnet'
            ? []
            : (Object.keys(networks()) as NetworkId[]).flatMap((network) => {
                const faucets = faucetsOf(network);
                return faucets.length === 0 ? [] : [{ network, networkName: requireNetwork(network).name, faucets: [...faucets] }];
              }),
        changed,
      }),
    },
  };
}

/** `program` is the installed application's; its command line in a browser is another, and play money comes with the source alone. */
const startCommands = (program: string | undefined): SettingsView['starts'] => {
  const installed = program !== undefined || installedCommand(import.meta.filename) !== undefined;
  const command = (kind: Environment): string => {
    if (program !== undefined) return `${/\s/.test(program) ? `"${program}"` : program} --network ${kind}`;
    return installed ? bursarCommand('serve', { folder: locateHome({ environment: kind, env: { ...process.env, BURSAR_HOME: undefined } }), environment: kind }) : `npm start -- --network ${kind}`;
  };
  return { sandbox: installed ? '' : command('sandbox'), testnet: command('testnet'), mainnet: command('mainnet') };
};
