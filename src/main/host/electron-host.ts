import { app, BrowserWindow, Menu } from 'electron';
import { join } from 'node:path';
import type { Clock, Log } from '../../core/ports.ts';
import type { UnderWay } from '../../core/payments/under-way.ts';
import type { Environment } from '../../shared/contract/app.ts';
import type { WaitingView } from '../../shared/contract/approvals.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { OWNER_CLIENT } from '../http-buyer/http-buyer.ts';
import type { EventHub } from '../rpc/event-hub.ts';
import type { Router } from '../rpc/router.ts';
import type { Pages } from '../web/pages.ts';
import { serveAppScheme } from './app-scheme.ts';
import { askForUpdate, tellGivenUp } from './ask-owner.ts';
import { createApprovalWindow } from './approval-window.ts';
import { createDashboard } from './dashboard-window.ts';
import { linkIn } from './deep-links.ts';
import { openIpcCarrier } from './ipc-carrier.ts';
import type { LinkInbox } from './link-inbox.ts';
import { lockDown } from './lockdown.ts';
import { createNotifier } from './notifier.ts';
import { createPageRecovery } from './page-recovery.ts';
import type { WindowParts } from './page-window.ts';
import { watchPower, type LockOn } from './power.ts';
import { createQuitGuard } from './quit-guard.ts';
import { createTray } from './tray.ts';
import { startUpdates, type UpdateSource } from './updates.ts';
import { startWarningNotices } from './warning-notices.ts';
import { createWindowStateKeeper, readWindowState } from './window-state.ts';

export interface ElectronHostOptions {
  readonly environment: Environment;
  readonly router: Router;
  readonly events: EventHub;
  readonly pages: Pages;
  readonly preloads: WindowParts['preloads'];
  /** Folder with `icon.png` and `tray/`. */
  readonly resources: string;
  /** Electron's own folder within the data folder. */
  readonly profile: string;
  readonly openDashboardOnStart: boolean;
  /** The links that open a page. */
  readonly links: LinkInbox;
  readonly approvals: {
    waiting(): readonly Pick<WaitingView, 'paymentId' | 'client' | 'upstream'>[];
    /** Whether the approval window is on screen with the focus; overrules what its page reports. */
    setWindowVisible(visible: boolean): void;
    /** The owner closed the approval window: the request that it showed is rejected. */
    rejectCurrent(): void;
  };
  readonly underWay: () => UnderWay;
  /** What the owner should read now, in sentences. */
  readonly warnings: () => Promise<readonly string[]>;
  /** Whether the owner wants to be told of such things on the desktop. */
  readonly tells: (kind: 'approvals' | 'warnings') => boolean;
  readonly settings: () => { readonly lockOn: LockOn; readonly checkForUpdates: boolean };
  readonly updates: UpdateSource | undefined;
  readonly lock: () => void;
  /** Says when the dashboard begins to show a secret, before it has it, and when that is over. */
  readonly onSecretsShown: (listener: (shown: boolean) => void) => void;
  /** Ends everything else; Electron quits once it settled. */
  readonly shutdown: () => Promise<void>;
  /** Called with a window's connection name once it is gone, so that its owner session ends. */
  readonly disconnected: (connection: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who asks, in a sentence; what is sent has no server. */
const askWords = ({ client, upstream }: Pick<WaitingView, 'client' | 'upstream'>): string =>
  upstream !== OWN_NAME ? `The server "${upstream}" asks to be paid.` : client === OWNER_CLIENT ? 'What you send waits for your approval.' : `The client "${client}" wants to send money.`;

/** Runs the application in Electron's windows and tray. Call `claimInstance` first. Resolves once Electron is ready. */
export async function startElectronHost(options: ElectronHostOptions): Promise<void> {
  const { router, events, pages, preloads, resources, approvals, clock, log } = options;
  let quitting = false;
  const onChange = (listener: () => void): (() => void) => events.subscribe(({ topic }) => (topic === 'payments' || topic === 'approvals') && listener());
  const guard = createQuitGuard({
    running: () => options.underWay().answering,
    onChange,
    shutdown: options.shutdown,
    onQuit() {
      quitting = true;
      keeper.flush();
    },
    log,
  });
  // In Electron's own profile: it is no part of what is backed up, kept or started over.
  const statePath = join(options.profile, 'window.json');
  const keeper = createWindowStateKeeper({ path: statePath, clock, log });
  await app.whenReady();

  lockDown({ log, showApproval: (hash) => approval.focus(hash) });
  serveAppScheme(pages);
  Menu.setApplicationMenu(process.platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]) : null);
  const parts: WindowParts = { carrier: openIpcCarrier({ router, events, disconnected: options.disconnected }), preloads, icon: join(resources, 'icon.png'), clock, log };

  const dashboard = createDashboard({ parts, lastState: () => readWindowState(statePath), keeper, recovery: createPageRecovery(clock), onGivenUp: () => tellGivenUp(log), waitingMark: join(resources, 'tray', 'tray-waiting.png') });
  options.onSecretsShown((shown) => dashboard.protectContent(shown));
  const approval = createApprovalWindow({
    parts,
    trayPlace: () => tray.place(),
    onVisible: (visible) => approvals.setWindowVisible(visible),
    recovery: createPageRecovery(clock),
    onCrashed: () => !quitting && approvals.waiting().length > 0 && approval.show(),
    onGivenUp: () => tellGivenUp(log),
    onClosedByOwner: () => !quitting && approvals.rejectCurrent(),
  });
  const tray = createTray({
    environment: options.environment,
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
    dashboard.markWaiting(waiting.length);
    const fresh = waiting.find(({ paymentId }) => !known.has(paymentId));
    known = new Set(waiting.map(({ paymentId }) => paymentId));
    if (waiting.length === 0) return approval.dismiss();
    approval.show();
    if (fresh !== undefined && options.tells('approvals') && BrowserWindow.getFocusedWindow() === null) {
      notify({ title: 'A payment waits for you', body: askWords(fresh), onClick: () => approval.focus() });
    }
  };
  events.subscribe(({ topic }) => topic === 'approvals' && refresh());
  options.links.open({ show: (page) => dashboard.open(page), log });
  app.on('second-instance', (_event, argv) => {
    const link = linkIn(argv);
    if (link === undefined) dashboard.open();
    else options.links.take(link);
  });
  app.on('activate', () => dashboard.open());
  watchPower({ lockOn: () => options.settings().lockOn, lock: options.lock, onShutdown: () => guard.quitNow(), log });
  if (options.updates) {
    startUpdates({
      source: options.updates,
      wanted: () => !quitting && options.settings().checkForUpdates,
      idle: () => approvals.waiting().length === 0 && options.underWay().unsettled === 0,
      onChange,
      ask: askForUpdate,
      tell: (version) => notify({ title: 'A newer Bursar is there', body: `Version ${version} can be installed from where you got this one.`, onClick: () => dashboard.open() }),
      end: () => guard.end(),
      clock,
      log,
    });
  }
  startWarningNotices({ events, warnings: options.warnings, tells: () => options.tells('warnings') && BrowserWindow.getFocusedWindow() === null, notify, onClick: () => dashboard.open('/'), log });
  if (options.openDashboardOnStart) dashboard.open();
  refresh();
}
