import { addDays, localTime } from '../../../core/policy/local-time.ts';
import { sliceOf } from '../../../core/policy/windows.ts';
import type { Clock, Policies } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { findNetwork } from '../../../core/registry/networks.ts';
import type { SearchThread } from '../../adapters/store/search-thread.ts';
import { paymentOfRow } from '../../adapters/store/payment-row.ts';
import { assetView, paymentView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface SearchDeps {
  readonly search: SearchThread;
  readonly policies: Policies;
  readonly assets: Assets;
  readonly clock: Pick<Clock, 'now'>;
}

type Routes = 'payments.find' | 'payments.totals' | 'payments.facets' | 'payments.spending';

/** Everything that looks through the whole ledger, in its own thread. */
export const searchHandlers = ({ search, policies, assets, clock }: SearchDeps): Pick<Handlers, Routes> => ({
  'payments.find': async ({ newest, ...page }) => {
    const found = await search.find({ ...page, ...(newest !== undefined && { newest }) });
    return { payments: found.rows.map((row) => paymentView(paymentOfRow(row), assets)), count: found.count, newest: found.newest };
  },

  'payments.totals': async ({ filter }) => {
    const { tokens, usd, unpriced } = await search.totals(filter);
    return {
      tokens: tokens.flatMap(({ asset, moved, held }) => {
        const known = assets.byId(asset);
        return known ? [{ asset: assetView(known), movedUnits: moved, heldUnits: held }] : [];
      }),
      usd: { movedUnits: usd.moved, heldUnits: usd.held },
      unpriced,
    };
  },

  'payments.facets': async () => {
    const { upstreams, tools, networks } = await search.facets();
    return { upstreams: [...upstreams], tools: [...tools], networks: networks.map((network) => ({ network, name: findNetwork(network)?.name ?? network })) };
  },

  'payments.spending': async ({ days }) => {
    const { timeZone } = policies.current().policy;
    const instants = dayStarts(clock.now(), days, timeZone);
    const spent = await search.spendBetween([...instants.map(({ at }) => at), Number.MAX_SAFE_INTEGER]);
    const sum = (of: typeof spent): bigint => of.reduce((total, { usd }) => total + BigInt(usd), 0n);
    const servers = [...new Set(spent.map(({ upstream }) => upstream))]
      .map((upstream) => ({ upstream, units: sum(spent.filter((one) => one.upstream === upstream)) }))
      .filter(({ units }) => units > 0n)
      .toSorted((a, b) => (a.units < b.units ? 1 : a.units > b.units ? -1 : 0));
    return {
      days: instants.map(({ day }, slice) => ({ day, units: sum(spent.filter((one) => one.slice === slice)).toString() })),
      servers: servers.map(({ upstream, units }) => ({ upstream, units: units.toString() })),
    };
  },
});

const QUARTER_MS = 15 * 60_000;

/** The first instant of each of the last days in a time zone, oldest first. Every zone's offset is a multiple of a quarter of an hour. */
function dayStarts(now: number, days: number, timeZone: string): readonly { readonly day: string; readonly at: number }[] {
  const today = localTime(now, timeZone).date;
  return Array.from({ length: days }, (_, index) => {
    const day = addDays(today, index - days + 1);
    // Midnight in UTC is at most 14 hours from midnight anywhere; a day without a midnight begins at its first quarter.
    let at = Date.parse(`${day}T00:00Z`) - 15 * 60 * 60_000;
    while (sliceOf('day', at, timeZone) < day) at += QUARTER_MS;
    return { day, at };
  });
}
