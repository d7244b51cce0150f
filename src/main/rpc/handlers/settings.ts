import type { Environment } from '../../../shared/contract/app.ts';
import type { NotificationKind, RpcCheck, SettingsView } from '../../../shared/contract/settings.ts';
import { BursarError, toErrorInfo } from '../../../shared/errors/errors.ts';
import type { LoginItem } from '../../../shared/login-item.ts';
import type { Handlers } from '../router.ts';

export interface SettingsDeps {
  readonly networks: () => SettingsView['networks'];
  /** False where networks are brought by the sandbox. */
  readonly networksChange: boolean;
  readonly checkRpc: (network: string, urls: readonly string[]) => Promise<RpcCheck[]>;
  /** Throws `NOT_FOUND`, `NETWORK_BUSY`. */
  readonly disableNetwork: (network: string) => Promise<void>;
  readonly notifications: {
    readonly supported: boolean;
    readonly get: () => Partial<Record<NotificationKind, boolean>>;
    readonly set: (on: Partial<Record<NotificationKind, boolean>>) => void;
  };
  readonly loginItem?: LoginItem;
  readonly folder: string;
  /** Opens the folder in the file manager; absent where the host cannot. */
  readonly openFolder?: (path: string) => Promise<void>;
  readonly starts: SettingsView['starts'];
  /** Starts another kind of money; absent where the host cannot. */
  readonly start?: (environment: Environment) => Promise<void>;
  readonly reset: {
    readonly word: string;
    readonly keeps: boolean;
    /** True where the passphrase has to come with the word. */
    readonly needsPassphrase: () => boolean;
    readonly verifyPassphrase: (passphrase: string) => Promise<void>;
    /** Ends the application soon, and empties the folder then. Says where what was in it is kept. */
    readonly begin: () => string;
  };
  readonly changed: () => void;
}

type Routes = 'settings.get' | 'settings.set' | 'settings.openFolder' | 'settings.start' | 'settings.checkRpc' | 'settings.reset' | 'networks.disable';

export function settingsHandlers(deps: SettingsDeps): Pick<Handlers, Routes> {
  const { notifications, loginItem, reset } = deps;
  const view = async (): Promise<SettingsView> => {
    const chosen = notifications.get();
    return {
      networks: deps.networks(),
      networksChange: deps.networksChange,
      notifications: { supported: notifications.supported, on: { approvals: chosen.approvals ?? true, warnings: chosen.warnings ?? true } },
      autostart: { supported: loginItem?.supported ?? false, on: loginItem?.supported ? await loginItem.get() : false },
      folder: { path: deps.folder, opens: deps.openFolder !== undefined },
      starts: deps.starts,
      startsByItself: deps.start !== undefined,
      reset: { word: reset.word, keeps: reset.keeps, passphrase: reset.needsPassphrase() },
    };
  };
  return {
    'settings.get': view,
    async 'settings.set'({ notifications: told, autostart }) {
      if (autostart !== undefined) {
        if (!loginItem?.supported) throw new BursarError('FORBIDDEN', 'This Bursar cannot start by itself when you sign in.', { hint: 'Nothing was changed.' });
        await loginItem.set(autostart);
      }
      if (told) notifications.set({ ...notifications.get(), ...told });
      deps.changed();
      return view();
    },
    async 'settings.openFolder'() {
      if (!deps.openFolder) throw new BursarError('FORBIDDEN', 'This Bursar has no file manager to open.', { hint: 'Copy the path instead.' });
      await deps.openFolder(deps.folder);
      return {};
    },
    async 'settings.start'({ environment }) {
      if (!deps.start || deps.starts[environment] === '') throw new BursarError('FORBIDDEN', 'This Bursar cannot start that one.', { hint: 'Start it with its command.' });
      await deps.start(environment).catch((error: unknown) => {
        throw new BursarError('START_FAILED', `It did not start: ${toErrorInfo(error).message}`);
      });
      return {};
    },
    'settings.checkRpc': async ({ network, rpcUrls }) => ({ checks: await deps.checkRpc(network, rpcUrls) }),
    async 'networks.disable'({ network }) {
      await deps.disableNetwork(network);
      deps.changed();
      return {};
    },
    async 'settings.reset'({ word, passphrase }) {
      if (word.trim().toLowerCase() !== reset.word) throw new BursarError('INPUT_INVALID', `The word to type is "${reset.word}".`, { hint: 'Nothing was changed.', context: { field: 'word' } });
      if (reset.needsPassphrase()) await reset.verifyPassphrase(passphrase ?? '');
      return { keptIn: reset.begin() };
    },
  };
}
