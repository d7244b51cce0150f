import { BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import type { Clock, Log } from '../../core/ports.ts';
import { SURFACE_URLS, type WindowSurface } from './app-scheme.ts';
import type { IpcCarrier } from './ipc-carrier.ts';
import { createHangWatch } from './page-recovery.ts';

/** What every window of ours is made of. */
export interface WindowParts {
  readonly carrier: IpcCarrier;
  /** Built preload of each surface, absolute. */
  readonly preloads: Readonly<Record<WindowSurface, string>>;
  readonly icon: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface PageWindowOptions {
  readonly window: BrowserWindowConstructorOptions;
  /** Path behind the page's `#`; the page's own start without it. */
  readonly path?: string | undefined;
  /** The page crashed or was stuck, and its window is gone. `path` is where it was. */
  readonly onCrash: (path: string | undefined) => void;
}

/** A page's address with a path of its own behind the hash. */
export const pageUrl = (surface: WindowSurface, path: string | undefined): string => `${SURFACE_URLS[surface]}${path === undefined ? '' : `#${path}`}`;

/** Creates a hidden window for one surface: sandboxed, isolated, admitted to its carrier, loading its one page. */
export function createPageWindow(surface: WindowSurface, { carrier, preloads, icon, clock, log }: WindowParts, { window: options, path, onCrash }: PageWindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...options,
    title: 'Bursar',
    icon,
    show: false,
    webPreferences: {
      preload: preloads[surface],
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      devTools: false,
      spellcheck: false,
    },
  });
  window.removeMenu();
  const contents = window.webContents;
  carrier.admit(contents, surface);
  contents.on('render-process-gone', (_event, { reason }) => {
    if (window.isDestroyed()) return;
    log.error('a window crashed', { surface, reason });
    const was = pathOf(contents.getURL());
    // Not a close by the owner: nothing is rejected.
    window.destroy();
    onCrash(was);
  });
  const hang = createHangWatch({
    clock,
    end() {
      log.error('a window is stuck', { surface });
      if (!window.isDestroyed()) contents.forcefullyCrashRenderer();
    },
  });
  window.on('unresponsive', () => hang.unresponsive());
  window.on('responsive', () => hang.responsive());
  window.once('closed', () => hang.responsive());
  window.loadURL(pageUrl(surface, path)).catch((error: unknown) => {
    if (!window.isDestroyed()) log.error('a window could not load its page', { surface, reason: error instanceof Error ? error.message : String(error) });
  });
  return window;
}

/** The path behind an address's `#`; undefined without one. */
export const pathOf = (url: string): string | undefined => /#(\/.*)$/.exec(url)?.[1];
