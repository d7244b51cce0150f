/** The pages of the dashboard by name, with their paths. Main leads to them from links, the dashboard shows them. */
export const PAGE_PATHS = {
  overview: '/',
  approvals: '/approvals',
  history: '/history',
  activity: '/activity',
  wallets: '/wallets',
  budgets: '/budgets',
  contacts: '/contacts',
  links: '/links',
  discover: '/discover',
  servers: '/servers',
  connect: '/connect',
  clients: '/clients',
  settings: '/settings',
  start: '/start',
} as const;

export type PagePath = (typeof PAGE_PATHS)[keyof typeof PAGE_PATHS];
