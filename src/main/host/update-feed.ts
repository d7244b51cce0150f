import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../core/ports.ts';
import type { UpdateKind, UpdateSource } from './updates.ts';

/**
 * What the feed file of a package allows, which electron-builder writes where a release names a feed. Undefined: no feed, or one that is
 * not https. Installed is only what the system or the updater holds against the signature of the running program: on macOS Squirrel does
 * always, on Windows only where the file names the publisher, and on Linux nothing does.
 */
export function updateKind(feed: string | undefined, platform: NodeJS.Platform): UpdateKind | undefined {
  if (feed === undefined) return undefined;
  const field = (name: string) => new RegExp(String.raw`^${name}:[ \t]*(?:\r?\n[ \t]*-[ \t]*)?['"]?([^\s'"#]+)`, 'm').exec(feed)?.[1];
  const provider = field('provider');
  if (provider === undefined || (provider === 'generic' && !field('url')?.startsWith('https://'))) return undefined;
  if (platform === 'darwin') return 'install';
  return platform === 'win32' && field('publisherName') !== undefined ? 'install' : 'notice';
}

/** The feed of this package; undefined from source and where the release named none. */
export async function openUpdateFeed(log: Log): Promise<UpdateSource | undefined> {
  if (!app.isPackaged) return undefined;
  const file = join(process.resourcesPath, 'app-update.yml');
  const kind = updateKind(existsSync(file) ? readFileSync(file, 'utf8') : undefined, process.platform);
  if (kind === undefined) return undefined;
  // Only now: most runs need none of it.
  const { default: electronUpdater } = await import('electron-updater');
  const { autoUpdater } = electronUpdater;
  const words = (message?: unknown) => ({ reason: String(message).slice(0, 500) });
  autoUpdater.logger = {
    info: (message) => log.debug('updater', words(message)),
    warn: (message) => log.warn('updater', words(message)),
    error: (message) => log.warn('updater', words(message)),
  };
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = false;
  autoUpdater.allowDowngrade = false;
  autoUpdater.disableWebInstaller = true;
  // Every failure also rejects the call that it belongs to; without a listener it would end the process.
  autoUpdater.on('error', (error) => log.warn('updater', words(error.message)));
  return {
    kind,
    async check() {
      const result = await autoUpdater.checkForUpdates();
      return result?.isUpdateAvailable ? { version: result.updateInfo.version } : undefined;
    },
    async download() {
      await autoUpdater.downloadUpdate();
    },
    install: () => autoUpdater.quitAndInstall(false, true),
  };
}
