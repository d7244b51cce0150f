import { protocol } from 'electron';
import type { Caller } from '../rpc/caller.ts';
import type { Pages } from '../web/pages.ts';
import { securityHeaders } from '../web/security-headers.ts';

const SCHEME = 'app';
const HOST = 'bursar';
/** What pages of ours come from. */
export const ORIGIN = `${SCHEME}://${HOST}`;

/** The one address of each window. */
export const SURFACE_URLS: Readonly<Record<WindowSurface, string>> = { dashboard: `${ORIGIN}/`, approval: `${ORIGIN}/approve` };

export type WindowSurface = Exclude<Caller['surface'], 'cli' | 'cli-approval'>;

/** True for an address of ours. */
export const isAppUrl = (url: string): boolean => url.startsWith(`${ORIGIN}/`);

/** Declares the scheme to Chromium. Has to run before the app is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
}

/** Serves the built pages, and nothing else, under `app://bursar/`. */
export function serveAppScheme(pages: Pages): void {
  const headers = securityHeaders("'none'");
  protocol.handle(SCHEME, (request) => {
    const { host, pathname } = new URL(request.url);
    const file = host === HOST && request.method === 'GET' ? pages.get(pathname) : undefined;
    if (file === undefined) return new Response(null, { status: 404, headers });
    return new Response(file.body, { headers: { ...headers, 'content-type': file.contentType } });
  });
}
