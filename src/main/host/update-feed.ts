import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../core/ports.ts';
import { updateKind } from './update-kind.ts';
import type { UpdateKind, UpdateSource } from './updates.ts';

export interface UpdateFeed {
  readonly kind: UpdateKind;
  open(log: Log): Promise<UpdateSource>;
}

/** The feed of this package; undefined from source and where the release named none. */
export function findUpdateFeed(): UpdateFeed | undefined {
  if (!app.isPackaged) return undefined;
  const file = join(process.resourcesPath, 'app-update.yml');
  const kind = updateKind(existsSync(file) ? readFileSync(file, 'utf8') : undefined, process.platform);
  return kind && { kind, open: (log) => openSource(kind, log) };
}

async function openSource(kind: UpdateKind, log: Log): Promise<UpdateSource> {
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
    install() {
      // Everything has ended already: where the new version cannot be put in place, this one begins again.
      autoUpdater.once('error', () => {
        app.relaunch();
        app.exit(0);
      });
      autoUpdater.quitAndInstall(false, true);
    },
  };
}
