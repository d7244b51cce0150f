import { mkdirSync } from 'node:fs';
import { app } from 'electron';
import { FOLDER_MODE } from '../adapters/home/files.ts';
import { declareAppScheme } from './app-scheme.ts';
import { LINK_SCHEME, linkIn } from './deep-links.ts';

/** What the system hands over to this process. */
export interface ClaimOptions {
  /** Folder for Electron's own files. */
  readonly userData: string;
  /** Called with each link that the system has Bursar open, also before there are windows. */
  readonly onLink: (link: string) => void;
}

/**
 * What has to happen before Electron is ready and before the data folder is touched: its own files go to `userData`, every renderer
 * is sandboxed, links are heard, and the instance is claimed. False means that another instance runs on this folder; it was told to come
 * forward with the link of this one, and this process has to end.
 */
export function claimInstance({ userData, onLink }: ClaimOptions): boolean {
  // Electron wants a folder that is there.
  mkdirSync(userData, { recursive: true, mode: FOLDER_MODE });
  app.setPath('userData', userData);
  app.enableSandbox();
  declareAppScheme();
  // macOS sends an event, also while it starts the application for a link; elsewhere a link is an argument.
  app.on('open-url', (event, url) => {
    event.preventDefault();
    onLink(url);
  });
  if (!app.requestSingleInstanceLock()) return false;
  const link = linkIn(process.argv);
  if (link !== undefined) onLink(link);
  // On macOS the bundle says so; from source the links of an installed Bursar are left to it.
  if (app.isPackaged && process.platform !== 'darwin') app.setAsDefaultProtocolClient(LINK_SCHEME);
  return true;
}
