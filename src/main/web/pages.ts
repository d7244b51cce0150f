import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { BursarError } from '../../shared/errors/errors.ts';

/** A built file as it is served. */
export interface PageFile {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Every file that may be served, by URL path: `/` the dashboard, `/approve` the approval page, `/assets/…` what they load. */
export type Pages = ReadonlyMap<string, PageFile>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const PAGE_PATHS: Readonly<Record<string, string>> = { 'dashboard.html': '/', 'approval.html': '/approve' };

/**
 * Reads the built pages into memory. A request is answered from this map and never from the disk, so no path can lead out of it.
 * Throws `NOT_FOUND` where the pages were not built.
 */
export async function readPages(folder: string): Promise<Pages> {
  const pages = new Map<string, PageFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const contentType = CONTENT_TYPES[extname(entry.name)];
    if (!entry.isFile() || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, '');
    // It belongs on a static host, with a policy of its own, and not beside the dashboard.
    if (/^(?:assets\/)?claim[.-]/.test(name)) continue;
    pages.set(PAGE_PATHS[name] ?? `/${name}`, { contentType, body: new Uint8Array(await readFile(path)) });
  }
  for (const path of Object.values(PAGE_PATHS)) {
    if (!pages.has(path)) throw new BursarError('NOT_FOUND', `The built pages in ${folder} are incomplete.`, { hint: 'Build them with: npm run build' });
  }
  return pages;
}
