import { app, session, type WebContents } from 'electron';
import type { Log } from '../../core/ports.ts';
import { isFaucetUrl } from '../../core/registry/faucets.ts';
import { isExplorerUrl } from '../../core/registry/networks.ts';
import { isAppUrl, ORIGIN, SURFACE_URLS } from './app-scheme.ts';
import { isMessage } from './message-url.ts';
import { openExternal, openMessage } from './open-external.ts';

export interface LockDownOptions {
  readonly log: Log;
  /** Brings the approval window forward, with the part of the address that says at which request: what the dashboard's link to it means here. */
  readonly showApproval: (hash: string) => void;
}

/** Denies every page all that it could do beyond showing itself: leaving, opening, embedding, fetching, devices, downloads of anything that it did not make. */
export function lockDown({ log, showApproval }: LockDownOptions): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((contents, permission, answer) => answer(isAllowed(permission, contents.getURL())));
  defaultSession.setPermissionCheckHandler((_contents, permission, origin, { requestingUrl }) => isAllowed(permission, requestingUrl ?? origin));
  defaultSession.setDevicePermissionHandler(() => false);
  // What the dashboard made itself (an export, a dispute packet) may be saved where the owner says; nothing is fetched for it.
  defaultSession.on('will-download', (event, item) => {
    if (!item.getURL().startsWith(`blob:${ORIGIN}/`)) event.preventDefault();
  });
  defaultSession.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isAppUrl(url) && !url.startsWith('data:image/') }));
  app.on('web-contents-created', (_event, contents) => lockContents(contents, log, showApproval));
}

function lockContents(contents: WebContents, log: Log, showApproval: (hash: string) => void): void {
  contents.on('will-frame-navigate', (event) => {
    // A page may be loaded again, and nothing else.
    if (event.isMainFrame && withoutHash(event.url) === withoutHash(contents.getURL())) return;
    event.preventDefault();
    if (event.isMainFrame && isMessage(event.url)) openMessage(event.url);
    else log.warn('a navigation was denied', { url: withoutSecret(event.url) });
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (withoutHash(url) === SURFACE_URLS.approval) showApproval(new URL(url).hash);
    else if (isExplorerUrl(url) || isFaucetUrl(url)) openExternal(url);
    else if (isMessage(url)) openMessage(url);
    else log.warn('a new window was denied', { url: withoutSecret(url) });
    return { action: 'deny' };
  });
}

/** Copying to the clipboard on a click is all that a page of ours asks for. */
const isAllowed = (permission: string, url: string): boolean => permission === 'clipboard-sanitized-write' && Object.values<string>(SURFACE_URLS).includes(withoutHash(url));

/** Of an address that is refused, its scheme and host are told: what stands behind them may be a link that holds money (I6). */
const withoutSecret = (url: string): string => (URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : 'unreadable');

const withoutHash = (url: string): string => url.replace(/#.*$/, '');
