/** The scheme of links that open a page of Bursar. */
export const LINK_SCHEME = 'bursar';

/** The pages that a link may open, with their paths in the dashboard. Links navigate there and carry nothing else. */
export const LINK_PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  approvals: '/approvals',
  history: '/history',
  activity: '/activity',
  wallets: '/wallets',
  budgets: '/budgets',
  contacts: '/contacts',
  discover: '/discover',
  connect: '/connect',
  clients: '/clients',
};

/**
 * The dashboard's path that a link names: `bursar://history` is `/history`. Undefined for anything else: another scheme or page, a query, a
 * fragment, credentials. Any page on the web can make the system open a link, so it is held to this form by the letter and not parsed further.
 */
export function pageOfLink(link: string): string | undefined {
  const name = /^bursar:\/\/([a-z]{1,20})\/?$/i.exec(link)?.[1]?.toLowerCase();
  return name !== undefined && Object.hasOwn(LINK_PAGES, name) ? LINK_PAGES[name] : undefined;
}

/** The link among a process's arguments, which is how Windows and Linux hand one over. */
export const linkIn = (argv: readonly string[]): string | undefined => argv.find((argument) => argument.toLowerCase().startsWith(`${LINK_SCHEME}:`));
