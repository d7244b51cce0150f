import type { DesktopSettings } from '../../../shared/contract/desktop.ts';
import type { Config } from '../../adapters/home/config.ts';
import type { Handlers } from '../router.ts';

export interface DesktopDeps {
  readonly config: () => Pick<Config, 'lockOn' | 'checkForUpdates'>;
  readonly update: (change: Pick<Config, 'lockOn' | 'checkForUpdates'>) => void;
  /** What the host knows of itself; undefined in the headless one. */
  readonly desktop: { readonly updates: DesktopSettings['updates']['kind'] } | undefined;
}

/** What the owner chose, with what holds where they chose nothing. */
export const desktopSettings = ({ lockOn, checkForUpdates = true }: Pick<Config, 'lockOn' | 'checkForUpdates'>) => ({
  lockOn: { screenLock: lockOn?.screenLock ?? false, sleep: lockOn?.sleep ?? false },
  checkForUpdates,
});

export function desktopHandlers({ config, update, desktop }: DesktopDeps): Pick<Handlers, 'desktop.get' | 'desktop.set'> {
  const view = (): DesktopSettings => {
    const { lockOn, checkForUpdates } = desktopSettings(config());
    return { supported: desktop !== undefined, lockOn, updates: { kind: desktop?.updates ?? 'none', check: checkForUpdates } };
  };
  return {
    'desktop.get': view,
    'desktop.set': ({ lockOn, checkForUpdates }) => {
      const now = desktopSettings(config()).lockOn;
      update({
        ...(lockOn !== undefined && { lockOn: { screenLock: lockOn.screenLock ?? now.screenLock, sleep: lockOn.sleep ?? now.sleep } }),
        ...(checkForUpdates !== undefined && { checkForUpdates }),
      });
      return view();
    },
  };
}
