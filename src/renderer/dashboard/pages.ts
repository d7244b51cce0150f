import { BellRing, Bot, Compass, History, LayoutDashboard, Link2, Plug, Rocket, ScrollText, Server, Settings, SlidersHorizontal, Users, Wallet, type LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { PagePath } from '../../shared/page-paths.ts';
import { layoutTexts } from '../texts/dashboard.ts';
import { ActivityPage } from './pages/activity.tsx';
import { ApprovalsPage } from './pages/approvals.tsx';
import { BudgetsPage } from './pages/budgets.tsx';
import { ClientsPage } from './pages/clients.tsx';
import { ConnectPage } from './pages/connect.tsx';
import { ContactsPage } from './pages/contacts.tsx';
import { DiscoverPage } from './pages/discover.tsx';
import { HistoryPage } from './pages/history.tsx';
import { LinksPage } from './pages/links.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { ServersPage } from './pages/servers.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { StartPage } from './pages/start.tsx';
import { WalletsPage } from './pages/wallets.tsx';

export type PageGroup = keyof typeof layoutTexts.groups;

/** One page of the dashboard: where it is, and how the navigation shows it. */
export interface PageEntry {
  readonly path: PagePath;
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly Component: ComponentType;
  readonly group: PageGroup;
  /** Shows how many payments wait for the owner. */
  readonly counts?: 'waiting';
  /** Reached from other pages, and not in the navigation. */
  readonly hidden?: true;
}

const { pages: label } = layoutTexts;

/** Every page, in the order of the navigation. A new one is its file, its words in the catalogue, and a line here. */
export const PAGES: readonly PageEntry[] = [
  { path: '/', label: label.overview, Icon: LayoutDashboard, Component: OverviewPage, group: 'payments' },
  { path: '/approvals', label: label.approvals, Icon: BellRing, Component: ApprovalsPage, group: 'payments', counts: 'waiting' },
  { path: '/history', label: label.history, Icon: History, Component: HistoryPage, group: 'payments' },
  { path: '/activity', label: label.activity, Icon: ScrollText, Component: ActivityPage, group: 'payments' },
  { path: '/wallets', label: label.wallets, Icon: Wallet, Component: WalletsPage, group: 'money' },
  { path: '/budgets', label: label.budgets, Icon: SlidersHorizontal, Component: BudgetsPage, group: 'money' },
  { path: '/contacts', label: label.contacts, Icon: Users, Component: ContactsPage, group: 'money' },
  { path: '/links', label: label.links, Icon: Link2, Component: LinksPage, group: 'money' },
  { path: '/discover', label: label.discover, Icon: Compass, Component: DiscoverPage, group: 'agents' },
  { path: '/servers', label: label.servers, Icon: Server, Component: ServersPage, group: 'agents' },
  { path: '/connect', label: label.connect, Icon: Plug, Component: ConnectPage, group: 'agents' },
  { path: '/clients', label: label.clients, Icon: Bot, Component: ClientsPage, group: 'agents' },
  { path: '/settings', label: label.settings, Icon: Settings, Component: SettingsPage, group: 'bursar' },
  { path: '/start', label: label.start, Icon: Rocket, Component: StartPage, group: 'bursar', hidden: true },
];

/** The groups of the navigation, in order, with their pages. */
export const PAGE_GROUPS: readonly { readonly group: PageGroup; readonly pages: readonly PageEntry[] }[] = [...new Set(PAGES.map(({ group }) => group))].map((group) => ({
  group,
  pages: PAGES.filter((page) => page.group === group && page.hidden !== true),
}));
