import { app, session, type WebContents } from 'electron';
import type { Log } from '../../core/ports.ts';
import { isFaucetUrl } from '../../core/registry/faucets.ts';
import { isExplorerUrl } from '../../core/registry/networks.ts';
import { isAppUrl, ORIGIN, SURFACE_URLS } from './app-scheme.ts';
import { openExternal } from './open-external.ts';

export interface LockDownOptions {
  readonly log: Log;
  /** Brings the approval window forward: what the dashboard's link to it means here. */
  readonly showApproval: () => void;
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

function lockContents(contents: WebContents, log: Log, showApproval: () => void): void {
  contents.on('will-frame-navigate', (event) => {
    // A page may be loaded again, and nothing else.
    if (event.isMainFrame && withoutHash(event.url) === withoutHash(contents.getURL())) return;
    event.preventDefault();
    log.warn('a navigation was denied', { url: event.url });
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (withoutHash(url) === SURFACE_URLS.approval) showApproval();
    else if (isExplorerUrl(url) || isFaucetUrl(url)) openExternal(url);
    else log.warn('a new window was denied', { url });
    return { action: 'deny' };
  });
}

/** Copying to the clipboard on a click is all that a page of ours asks for. */
const isAllowed = (permission: string, url: string): boolean => permission === 'clipboard-sanitized-write' && Object.values<string>(SURFACE_URLS).includes(withoutHash(url));

const withoutHash = (url: string): string => url.replace(/#.*$/, '');
