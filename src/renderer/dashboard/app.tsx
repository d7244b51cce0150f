import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link as RouteLink, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import type { Link } from '../client/link.ts';
import { whenActive } from '../client/when-active.ts';
import { layoutTexts as texts } from '../texts/dashboard.ts';
import { CrashGuard } from './crash-guard.tsx';
import { Header } from './header.tsx';
import { OwnerGate } from './owner-gate.tsx';
import { Announcer } from './parts/announcer.tsx';
import { buttonClass } from './parts/button.tsx';
import { Empty } from './parts/card.tsx';
import { TooltipProvider } from './parts/tooltip.tsx';
import { Notices } from './notices.tsx';
import { PAGES } from './pages.ts';
import { PresenceGate } from './presence-gate.tsx';
import { createQueryClient, LinkProvider, useEventInvalidation } from './server-state.tsx';

/** The dashboard. Pages are behind the hash, so that it works under `app://` and `http://` alike. */
export function App({ link }: { readonly link: Link }) {
  const [queryClient] = useState(createQueryClient);
  useEventInvalidation(link, queryClient);
  // Without an owner session it is refused, and the keys lock in their time.
  useEffect(() => whenActive(window, () => void link.request('owner.active', {})), [link]);
  return (
    <CrashGuard>
      <QueryClientProvider client={queryClient}>
        <LinkProvider value={link}>
          <TooltipProvider delayDuration={400}>
            <Announcer>
              <OwnerGate link={link}>
                <PresenceGate link={link}>
                  <Router hook={useHashLocation}>
                    <Layout />
                  </Router>
                </PresenceGate>
              </OwnerGate>
            </Announcer>
          </TooltipProvider>
        </LinkProvider>
      </QueryClientProvider>
    </CrashGuard>
  );
}

function Layout() {
  const main = useRef<HTMLElement>(null);
  const [location] = useLocation();
  const before = useRef(location);

  useEffect(() => {
    if (before.current === location) return;
    before.current = location;
    window.scrollTo(0, 0);
    // The heading of the new page takes the focus, so that a screen reader says where it is.
    main.current?.querySelector('h1')?.focus();
  }, [location]);

  return (
    <div className="min-h-dvh lg:flex">
      <button type="button" className="sr-only z-40 rounded-lg bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <Header />
      <main ref={main} tabIndex={-1} className="min-w-0 grow px-4 pt-5 pb-16 outline-none sm:px-6 lg:px-10 lg:pt-8">
        <div className="mx-auto max-w-6xl">
          <Notices />
          <Switch>
            {PAGES.map(({ path, Component }) => (
              <Route key={path} path={path} component={Component} />
            ))}
            <Route>
              <Empty title={texts.notFound}>
                <RouteLink href="/" className={buttonClass()}>
                  {texts.backToOverview}
                </RouteLink>
              </Empty>
            </Route>
          </Switch>
        </div>
      </main>
    </div>
  );
}
