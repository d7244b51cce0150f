import { app } from 'electron';
import { BursarError } from '../../shared/errors/errors.ts';
import type { LoginItem } from '../../shared/login-item.ts';
import { createXdgAutostart, type LoginCommand } from '../adapters/login-item/xdg-autostart.ts';

/** The login item of the desktop application: Electron's own on macOS and Windows, the autostart folder on Linux. */
export function createLoginItem(launch: LoginCommand): LoginItem {
  if (process.platform === 'linux') return createXdgAutostart({ launch });
  // Both systems keep path and arguments; Windows compares them when it is asked.
  const item = { path: launch.command, args: [...launch.args] };
  return {
    // From source the arguments alone would not do: the variable that names a Node cannot be given.
    supported: app.isPackaged,
    get: async () => app.getLoginItemSettings(item).openAtLogin,
    async set(on) {
      app.setLoginItemSettings({ ...item, openAtLogin: on });
      if (app.getLoginItemSettings(item).openAtLogin !== on) throw new BursarError('LOGIN_ITEM_FAILED', `The system did not ${on ? 'add Bursar to' : 'remove Bursar from'} what starts at login.`);
    },
  };
}
