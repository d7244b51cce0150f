import { limitOf } from '../../../core/policy/units.ts';
import { reach, sliceOf } from '../../../core/policy/windows.ts';
import type { Clock, Policies } from '../../../core/ports.ts';
import type { Scope } from '../../../shared/policy/policy.ts';
import type { History } from '../../adapters/store/history.ts';
import { paymentView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface PaymentDeps {
  readonly history: History;
  readonly policies: Policies;
  readonly clock: Clock;
  readonly upstreamNames: () => readonly string[];
}

export const paymentHandlers = ({ history, policies, clock, upstreamNames }: PaymentDeps): Pick<Handlers, 'payments.list' | 'payments.spend'> => ({
  'payments.list': ({ before, limit }) => {
    const page = history.page({ limit, ...(before !== undefined && { before }) });
    return { payments: page.payments.map(paymentView), more: page.more };
  },

  'payments.spend': () => {
    const { policy } = policies.current();
    const now = clock.now();
    const today = sliceOf('day', now, policy.timeZone);
    const spent = history.spentSince(now - reach('day')).filter(({ at }) => sliceOf('day', at, policy.timeZone) >= today);
    const total = (of: typeof spent) => of.reduce((sum, { usd }) => sum + usd, 0n).toString();
    const cap = (upstream?: string) => {
      const limits = policy.caps.filter(({ window, unit, over }) => window === 'day' && unit === 'USD' && isScopeOf(over, upstream)).map(({ amount, unit }) => limitOf(amount, unit));
      const [first, ...rest] = limits;
      return first === undefined ? {} : { dayCapUnits: rest.reduce((least, limit) => (limit < least ? limit : least), first).toString() };
    };
    return {
      unit: 'USD' as const,
      todayUnits: total(spent),
      ...cap(),
      byUpstream: upstreamNames().map((upstream) => ({ upstream, todayUnits: total(spent.filter((use) => use.upstream === upstream)), ...cap(upstream) })),
    };
  },
});

/** The scope of everything, or of one server and nothing narrower. */
const isScopeOf = (scope: Scope, upstream: string | undefined): boolean =>
  scope.upstream === upstream && Object.entries(scope).every(([key, value]) => key === 'upstream' || value === undefined);
