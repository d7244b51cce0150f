import { USD_DECIMALS } from '../../../core/policy/assess.ts';
import { calendarDay, dayCounter, upstreamDayCounter } from '../../../core/policy/windows.ts';
import type { Clock, Policies } from '../../../core/ports.ts';
import { parseUnits } from '../../../shared/money/money.ts';
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
    const day = calendarDay(clock.now(), policy.timeZone);
    const used = new Map(history.spend(`USD|day|${day}|${policy.timeZone}|`).map(({ counter, units }) => [counter, units.toString()]));
    const cap = (upstream?: string) => {
      const found = policy.caps.find((candidate) => candidate.window === 'day' && candidate.over.upstream === upstream);
      return found ? { dayCapUnits: parseUnits(found.amount, USD_DECIMALS).toString() } : {};
    };
    return {
      unit: 'USD' as const,
      todayUnits: used.get(dayCounter(day, policy.timeZone)) ?? '0',
      ...cap(),
      byUpstream: upstreamNames().map((upstream) => ({
        upstream,
        todayUnits: used.get(upstreamDayCounter(day, policy.timeZone, upstream)) ?? '0',
        ...cap(upstream),
      })),
    };
  },
});
