import { app, BrowserWindow, Menu } from 'electron';
import { join } from 'node:path';
import type { Log } from '../../core/ports.ts';
import type { WaitingView } from '../../shared/contract/approvals.ts';
import type { EventHub } from '../rpc/event-hub.ts';
import type { Router } from '../rpc/router.ts';
import type { Pages } from '../web/pages.ts';
import { serveAppScheme } from './app-scheme.ts';
import { createApprovalWindow } from './approval-window.ts';
import { createDashboard } from './dashboard-window.ts';
import { openIpcCarrier } from './ipc-carrier.ts';
import { lockDown } from './lockdown.ts';
import { createNotifier } from './notifier.ts';
import type { WindowParts } from './page-window.ts';
import { createTray } from './tray.ts';

export interface ElectronHostOptions {
  readonly router: Router;
  readonly events: EventHub;
  readonly pages: Pages;
  readonly preloads: WindowParts['preloads'];
  /** Folder with `icon.png` and `tray/`. */
  readonly resources: string;
  readonly openDashboardOnStart: boolean;
  readonly approvals: {
    waiting(): readonly Pick<WaitingView, 'paymentId' | 'upstream'>[];
    /** Whether the approval window is on screen with the focus; overrules what its page reports. */
    setWindowVisible(visible: boolean): void;
    /** The owner closed the approval window: the request that it showed is rejected. */
    rejectCurrent(): void;
  };
  readonly lock: () => void;
  /** Says when the dashboard begins to show a secret, before it has it, and when that is over. */
  readonly onSecretsShown: (listener: (shown: boolean) => void) => void;
  /** Ends everything else; Electron quits once it settled. */
  readonly shutdown: () => Promise<void>;
  /** Called with a window's connection name once it is gone, so that its owner session ends. */
  readonly disconnected: (connection: string) => void;
  readonly log: Log;
}

/** Runs the application in Electron's windows and tray. Call `claimInstance` first. Resolves once Electron is ready. */
export async function startElectronHost(options: ElectronHostOptions): Promise<void> {
  const { router, events, pages, preloads, resources, approvals, log } = options;
  let quitting = false;
  keepRunning(options, () => (quitting = true));
  await app.whenReady();

  lockDown({ log, showApproval: () => approval.focus() });
  serveAppScheme(pages);
  Menu.setApplicationMenu(process.platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]) : null);
  const parts: WindowParts = { carrier: openIpcCarrier({ router, events, disconnected: options.disconnected }), preloads, icon: join(resources, 'icon.png'), log };

  const dashboard = createDashboard(parts);
  options.onSecretsShown((shown) => dashboard.protectContent(shown));
  const approval = createApprovalWindow({
    parts,
    trayPlace: () => tray.place(),
    onVisible: (visible) => approvals.setWindowVisible(visible),
    onClosedByOwner: () => !quitting && approvals.rejectCurrent(),
  });
  const tray = createTray({
    images: join(resources, 'tray'),
    openDashboard: () => dashboard.open(),
    showApproval: () => approval.focus(),
    lock: options.lock,
  });
  approvals.setWindowVisible(false);

  const notify = createNotifier();
  let known = new Set<string>();
  const refresh = (): void => {
    if (quitting) return;
    const waiting = approvals.waiting();
    tray.setWaiting(waiting.length);
    const fresh = waiting.find(({ paymentId }) => !known.has(paymentId));
    known = new Set(waiting.map(({ paymentId }) => paymentId));
    if (waiting.length === 0) return approval.dismiss();
    approval.show();
    if (fresh !== undefined && BrowserWindow.getFocusedWindow() === null) notify(fresh.upstream, () => approval.focus());
  };
  events.subscribe(({ topic }) => topic === 'approvals' && refresh());
  app.on('second-instance', () => dashboard.open());
  app.on('activate', () => dashboard.open());
  if (options.openDashboardOnStart) dashboard.open();
  refresh();
}

/** Closing windows leaves Bursar in the tray; quitting waits for the shutdown, once. */
function keepRunning({ shutdown, log }: ElectronHostOptions, onQuit: () => void): void {
  let ending: Promise<void> | undefined;
  let ended = false;
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (ended) return;
    event.preventDefault();
    onQuit();
    ending ??= shutdown()
      .catch((error: unknown) => log.error('the shutdown failed', { reason: error instanceof Error ? error.stack : String(error) }))
      .finally(() => {
        ended = true;
        app.quit();
      });
  });
}
