import { useId } from 'react';
import { Link, useRoute } from 'wouter';
import { layoutTexts as texts } from '../texts/dashboard.ts';
import { PAGE_GROUPS, type PageEntry, type PageGroup } from './pages.ts';

interface NavigationProps {
  /** Payments that wait for the owner. */
  readonly waiting: number;
  /** Called before a page is gone to. */
  readonly onGo?: () => void;
}

/** Every page, in groups. */
export function Navigation({ waiting, onGo = () => undefined }: NavigationProps) {
  return (
    <nav aria-label={texts.navigation} className="grid gap-4">
      {PAGE_GROUPS.map(({ group, pages }) => (
        <Group key={group} group={group} pages={pages} waiting={waiting} onGo={onGo} />
      ))}
    </nav>
  );
}

function Group({ group, pages, waiting, onGo }: Required<NavigationProps> & { readonly group: PageGroup; readonly pages: readonly PageEntry[] }) {
  const heading = useId();
  return (
    <div>
      <p id={heading} className="mb-1 px-3 text-xs font-medium text-muted">
        {texts.groups[group]}
      </p>
      <ul aria-labelledby={heading} className="grid gap-0.5">
        {pages.map((page) => (
          <Item key={page.path} page={page} count={page.counts === 'waiting' ? waiting : 0} onGo={onGo} />
        ))}
      </ul>
    </div>
  );
}

function Item({ page: { path, label, Icon }, count, onGo }: { readonly page: PageEntry; readonly count: number; readonly onGo: () => void }) {
  const [active] = useRoute(path);
  return (
    <li>
      <Link
        href={path}
        onClick={onGo}
        aria-current={active ? 'page' : undefined}
        className={`flex items-center gap-3 rounded-lg px-3 py-1.5 font-medium forced-colors:aria-[current=page]:underline ${active ? 'bg-accent-soft text-accent' : 'text-muted hover:bg-inset hover:text-ink'}`}
      >
        <Icon aria-hidden="true" className="size-5 shrink-0" />
        {label}
        <Count count={count} />
      </Link>
    </li>
  );
}

/** How many wait; nothing where none does. */
export const Count = ({ count }: { readonly count: number }) =>
  count > 0 && <span className="rounded-full bg-accent px-1.5 text-xs leading-5 font-semibold text-on-accent tabular-nums">{count}</span>;
