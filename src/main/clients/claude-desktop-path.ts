import { posix, win32 } from 'node:path';

/**
 * Where Claude Desktop keeps the servers it starts (its documentation names macOS and Windows; Linux builds follow XDG).
 *
 * @param platform `process.platform` of the machine concerned.
 * @param env its environment: `APPDATA` on Windows, `XDG_CONFIG_HOME` on Linux.
 * @param home the user's home folder, absolute.
 */
export function claudeDesktopConfigPath(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>, home: string): string {
  const file = 'claude_desktop_config.json';
  switch (platform) {
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', 'Claude', file);
    case 'win32':
      return win32.join(env['APPDATA'] || win32.join(home, 'AppData', 'Roaming'), 'Claude', file);
    default:
      return posix.join(env['XDG_CONFIG_HOME'] || posix.join(home, '.config'), 'Claude', file);
  }
}
