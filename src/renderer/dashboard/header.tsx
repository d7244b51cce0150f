import { BellRing, Bot, Compass, History, LayoutDashboard, Lock, LockOpen, Monitor, Moon, Plug, ScrollText, SlidersHorizontal, Sun, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Link, useRoute } from 'wouter';
import icon from '../assets/icon.svg';
import { commonTexts, environmentTexts } from '../texts/common.ts';
import { layoutTexts as texts } from '../texts/dashboard.ts';
import { chooseTheme, storedTheme, type Theme } from '../ui/theme.ts';
import { useAskOwner } from './owner-gate.tsx';
import { useAnnounce } from './parts/announcer.tsx';
import { useAct, useRead } from './server-state.tsx';

/** Brand, pages, kind of money, lock and theme: a bar above on small windows, a column at the left on large ones. */
export function Header() {
  const status = useRead('app.status', {}).data;
  const waiting = useRead('approvals.waiting', {}).data?.waiting.length ?? 0;
  return (
    <header className="border-line bg-surface max-lg:border-b lg:sticky lg:top-0 lg:flex lg:h-dvh lg:w-60 lg:shrink-0 lg:flex-col lg:border-r">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-3 lg:px-5 lg:pt-6">
        <img src={icon} alt="" className="size-7" />
        <span className="text-lg font-semibold tracking-tight">{commonTexts.product}</span>
        {status && <EnvironmentBadge environment={status.environment} />}
        <div className="ml-auto flex items-center gap-1 lg:hidden">
          <LockButton locked={status?.keys.locked} compact />
          <ThemeButton compact />
        </div>
      </div>
      <nav aria-label={texts.navigation} className="mt-2 px-2 pb-1.5 lg:mt-6 lg:px-3">
        <ul className="flex gap-1 max-lg:overflow-x-auto lg:flex-col">
          <NavigationItem href="/" label={texts.pages.overview} Icon={LayoutDashboard} />
          <NavigationItem href="/approvals" label={texts.pages.approvals} Icon={BellRing} count={waiting} />
          <NavigationItem href="/history" label={texts.pages.history} Icon={History} />
          <NavigationItem href="/budgets" label={texts.pages.budgets} Icon={SlidersHorizontal} />
          <NavigationItem href="/discover" label={texts.pages.discover} Icon={Compass} />
          <NavigationItem href="/connect" label={texts.pages.connect} Icon={Plug} />
          <NavigationItem href="/clients" label={texts.pages.clients} Icon={Bot} />
          <NavigationItem href="/activity" label={texts.pages.activity} Icon={ScrollText} />
        </ul>
      </nav>
      <div className="mt-auto hidden px-3 pb-4 lg:block">
        <LockButton locked={status?.keys.locked} />
        <ThemeButton />
        {status && <p className="mt-3 px-3 text-xs text-muted">{texts.version(status.version, status.host)}</p>}
      </div>
    </header>
  );
}

function EnvironmentBadge({ environment }: { readonly environment: keyof typeof environmentTexts }) {
  const { label, note } = environmentTexts[environment];
  const look = environment === 'mainnet' ? 'bg-ink text-canvas' : 'bg-play-soft text-play';
  return (
    <span title={note} className={`rounded-full px-2.5 py-0.5 text-xs font-semibold ${look}`}>
      {label}
    </span>
  );
}

interface NavigationItemProps {
  readonly href: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly count?: number;
}

function NavigationItem({ href, label, Icon, count = 0 }: NavigationItemProps) {
  const [active] = useRoute(href);
  return (
    <li className="grow max-lg:shrink-0">
      <Link
        href={href}
        aria-current={active ? 'page' : undefined}
        className={`flex items-center gap-x-3 rounded-lg px-2 py-2 font-medium max-lg:justify-center max-sm:flex-col max-sm:text-xs lg:px-3 ${active ? 'bg-accent-soft text-accent' : 'text-muted hover:bg-inset hover:text-ink'}`}
      >
        <Icon aria-hidden="true" className="size-5 shrink-0" />
        <span className="flex items-center gap-2">
          {label}
          {count > 0 && <span className="rounded-full bg-accent px-1.5 text-xs leading-5 font-semibold text-on-accent tabular-nums">{count}</span>}
        </span>
      </Link>
    </li>
  );
}

const toolClass = (compact: boolean) => `flex items-center gap-3 rounded-lg text-left text-muted hover:bg-inset hover:text-ink ${compact ? 'p-2' : 'w-full px-3 py-2'}`;

function LockButton({ locked, compact = false }: { readonly locked: boolean | undefined; readonly compact?: boolean }) {
  const askOwner = useAskOwner();
  const announce = useAnnounce();
  const lock = useAct('owner.lock');
  if (locked === undefined) return undefined;

  const Icon = locked ? Lock : LockOpen;
  const press = () => (locked ? void askOwner() : lock.mutate({}, { onError: ({ message }) => announce(message, 'failure') }));
  return (
    <button type="button" onClick={press} title={locked ? texts.unlockHint : texts.lockHint} aria-label={locked ? texts.unlockHint : texts.lockHint} className={toolClass(compact)}>
      <Icon aria-hidden="true" className={`size-5 ${locked ? 'text-warn' : ''}`} />
      {!compact && <span>{locked ? texts.locked : texts.unlocked}</span>}
    </button>
  );
}

const THEMES = { system: Monitor, light: Sun, dark: Moon };
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

function ThemeButton({ compact = false }: { readonly compact?: boolean }) {
  const [theme, setTheme] = useState(storedTheme);
  const Icon = THEMES[theme];

  function press() {
    chooseTheme(NEXT[theme]);
    setTheme(NEXT[theme]);
  }

  return (
    <button type="button" onClick={press} title={texts.theme[theme]} aria-label={texts.theme[theme]} className={toolClass(compact)}>
      <Icon aria-hidden="true" className="size-5" />
      {!compact && <span>{texts.theme[theme]}</span>}
    </button>
  );
}
