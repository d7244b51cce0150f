import type { UpdateKind } from './updates.ts';

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
