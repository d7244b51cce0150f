import { PAGE_PATHS, type PagePath } from '../../shared/page-paths.ts';

/** The scheme of links that open a page of Bursar. */
export const LINK_SCHEME = 'bursar';

/**
 * The dashboard's path that a link names; it navigates there and carries nothing else: `bursar://history` is `/history`. Undefined for anything else: another scheme or page, a query, a
 * fragment, credentials. Any page on the web can make the system open a link, so it is held to this form by the letter and not parsed further.
 */
export function pageOfLink(link: string): PagePath | undefined {
  const name = /^bursar:\/\/([a-z]{1,20})\/?$/i.exec(link)?.[1]?.toLowerCase();
  return Object.entries(PAGE_PATHS).find(([page]) => page === name)?.[1];
}

/** The link among a process's arguments, which is how Windows and Linux hand one over. */
export const linkIn = (argv: readonly string[]): string | undefined => argv.find((argument) => argument.toLowerCase().startsWith(`${LINK_SCHEME}:`));
