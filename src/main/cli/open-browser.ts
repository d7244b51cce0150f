import { spawn } from 'node:child_process';
import { isBrowserAddress } from '../upstream-auth/addresses.ts';

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe', linux: 'xdg-open' };

/** Opens a page in the person's browser, without a shell, where there is a screen and somebody at the terminal. Failing is fine: the address was printed. */
export function openBrowser(url: string): void {
  const opener = OPENERS[process.platform];
  const hasScreen = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
  if (opener === undefined || !hasScreen || !process.stdout.isTTY || !isBrowserAddress(new URL(url))) return;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
