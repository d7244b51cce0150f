import { Lock, LockOpen, Menu as MenuIcon, Monitor, Moon, Sun } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import type { AppStatus, Environment } from '../../shared/contract/app.ts';
import icon from '../assets/icon.svg';
import { commonTexts, environmentTexts } from '../texts/common.ts';
import { layoutTexts as texts } from '../texts/dashboard.ts';
import { chooseTheme, onTheme, currentTheme } from '../ui/theme.ts';
import { Count, Navigation } from './navigation.tsx';
import { useAskOwner } from './owner-gate.tsx';
import { useAnnounce } from './parts/announcer.tsx';
import { Dialog } from './parts/dialog.tsx';
import { Menu, MenuChoice } from './parts/menu.tsx';
import { Tooltip } from './parts/tooltip.tsx';
import { useAct, useRead } from './server-state.tsx';

/** Brand, pages, kind of money, lock and theme: a column at the left of large windows; a bar above small ones, whose button opens the pages. */
export function Header() {
  const status = useRead('app.status', {}).data;
  const waiting = useRead('approvals.waiting', {}).data?.waiting.length ?? 0;
  return (
    <>
      <header className="hidden border-r border-line bg-surface lg:sticky lg:top-0 lg:flex lg:h-dvh lg:w-60 lg:shrink-0 lg:flex-col">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-5 pt-6 pb-5">
          <Brand environment={status?.environment} />
        </div>
        <div className="min-h-0 grow overflow-y-auto px-3 pb-3">
          <Navigation waiting={waiting} />
        </div>
        <div className="border-t border-line px-3 py-3">
          <LockButton locked={status?.keys.locked} />
          <ThemeMenu />
          {status && <p className="mt-2 px-3 text-xs text-muted">{texts.version(status.version, status.host)}</p>}
        </div>
      </header>
      <Bar status={status} waiting={waiting} />
    </>
  );
}

interface BarProps {
  readonly status: AppStatus | undefined;
  readonly waiting: number;
}

function Bar({ status, waiting }: BarProps) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex items-center gap-2.5 border-b border-line bg-surface px-2 py-1.5 sm:px-4 lg:hidden">
      <button type="button" aria-haspopup="dialog" aria-expanded={open} aria-label={waiting > 0 ? texts.openMenuWaiting(waiting) : texts.openMenu} title={texts.openMenu} className={toolClass(true)} onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden="true" className="size-5" />
        <Count count={waiting} />
      </button>
      <Brand environment={status?.environment} />
      <div className="ml-auto">
        <LockButton locked={status?.keys.locked} compact />
      </div>
      <Dialog open={open} title={texts.navigation} form="left" onClose={() => setOpen(false)}>
        <Navigation waiting={waiting} onGo={() => setOpen(false)} />
        <div className="mt-4 border-t border-line pt-3">
          <ThemeMenu />
          {status && <p className="mt-2 px-3 text-xs text-muted">{texts.version(status.version, status.host)}</p>}
        </div>
      </Dialog>
    </header>
  );
}

const Brand = ({ environment }: { readonly environment: Environment | undefined }) => (
  <>
    <img src={icon} alt="" className="size-7" />
    <span className="text-lg font-semibold tracking-tight">{commonTexts.product}</span>
    {environment && <EnvironmentBadge environment={environment} />}
  </>
);

function EnvironmentBadge({ environment }: { readonly environment: Environment }) {
  const { label, note } = environmentTexts[environment];
  const look = environment === 'mainnet' ? 'bg-ink text-canvas' : 'bg-play-soft text-play';
  return (
    <span title={note} className={`rounded-full px-2.5 py-0.5 text-xs font-semibold ${look}`}>
      {label}
    </span>
  );
}

const toolClass = (compact: boolean): string => `flex items-center gap-3 rounded-lg text-left text-muted hover:bg-inset hover:text-ink ${compact ? 'p-2' : 'w-full px-3 py-2'}`;

function LockButton({ locked, compact = false }: { readonly locked: boolean | undefined; readonly compact?: boolean }) {
  const askOwner = useAskOwner();
  const announce = useAnnounce();
  const lock = useAct('owner.lock');
  if (locked === undefined) return undefined;

  const Icon = locked ? Lock : LockOpen;
  const press = () => (locked ? void askOwner() : lock.mutate({}, { onError: ({ message }) => announce(message, 'failure') }));
  const hint = locked ? texts.unlockHint : texts.lockHint;
  return (
    <Tooltip text={hint}>
      <button type="button" onClick={press} aria-label={hint} className={toolClass(compact)}>
        <Icon aria-hidden="true" className={`size-5 ${locked ? 'text-warn' : ''}`} />
        {!compact && <span>{locked ? texts.locked : texts.unlocked}</span>}
      </button>
    </Tooltip>
  );
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };
const THEMES = (['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts.themes[value], Icon: THEME_ICONS[value] }));

function ThemeMenu() {
  const theme = useSyncExternalStore(onTheme, currentTheme);
  const Icon = THEME_ICONS[theme];
  return (
    <Menu
      trigger={
        <button type="button" className={toolClass(false)}>
          <Icon aria-hidden="true" className="size-5" />
          <span>{texts.theme(texts.themes[theme])}</span>
        </button>
      }
    >
      <MenuChoice value={theme} options={THEMES} onChange={chooseTheme} />
    </Menu>
  );
}
