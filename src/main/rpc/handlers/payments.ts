import type { Cancellations } from '../../../core/payments/cancel.ts';
import { disputeMarkdown, disputePacket } from '../../../core/payments/dispute.ts';
import { maskBehindWords } from '../../../core/payments/mask-secrets.ts';
import type { Payments } from '../../../core/payments/pay.ts';
import type { Payment } from '../../../core/payments/payment.ts';
import { limitOf } from '../../../core/policy/units.ts';
import { reach, sliceOf } from '../../../core/policy/windows.ts';
import type { Clock, Journal, Policies } from '../../../core/ports.ts';
import type { RouteName } from '../../../shared/contract/contract.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Scope } from '../../../shared/policy/policy.ts';
import type { History } from '../../adapters/store/history.ts';
import type { SearchThread } from '../../adapters/store/search-thread.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
import { demandText, offerViews, paymentView } from '../payment-views.ts';
import { exchangeViews, explorerUrl, feeOfUse } from '../exchange-views.ts';
import { searchHandlers } from './search.ts';
import type { Handlers } from '../router.ts';

/** How long the chain may take for a cancellation. */
const CHAIN_LIMIT_MS = 30_000;

export interface PaymentDeps {
  readonly history: History;
  readonly search: SearchThread;
  readonly journal: Journal;
  readonly payments: Pick<Payments, 'withdraw'>;
  readonly cancellations: Cancellations;
  readonly policies: Policies;
  readonly assets: Assets;
  readonly clock: Clock;
  readonly upstreamNames: () => readonly string[];
}

type Routes = Exclude<Extract<RouteName, `payments.${string}`>, 'payments.buy'>;

export const paymentHandlers = ({ history, search, journal, payments, cancellations, policies, assets, clock, upstreamNames }: PaymentDeps): Pick<Handlers, Routes> => ({
  ...searchHandlers({ search, policies, assets, clock }),

  'payments.list': ({ before, limit }) => {
    const page = history.page({ limit, ...(before !== undefined && { before }) });
    return { payments: page.payments.map((payment) => paymentView(payment, assets)), more: page.more };
  },

  'payments.detail': ({ paymentId }) => {
    const payment = requirePayment(journal, paymentId);
    return {
      payment: paymentView(payment, assets),
      timeline: history.timeline(paymentId).map((entry) => ({ ...entry, detail: cleanText(maskBehindWords(entry.detail)) })),
      final: payment.final,
      ...(payment.outstandingUntil !== undefined && { outstandingUntil: payment.outstandingUntil }),
      cancellation: payment.money === 'reserved' ? ('withdraw' as const) : cancellations.possible(payment) ? ('transaction' as const) : ('none' as const),
      disputable: payment.proofText !== '',
      offers: offerViews(payment, assets),
      challengeText: demandText(payment),
      ...exchangeViews(payment),
      fees: history.feesOf(paymentId).flatMap((fee) => feeOfUse(fee, assets)),
      explorerUrl: explorerUrl(payment),
    };
  },

  'payments.dispute': ({ paymentId }) => {
    const packet = disputePacket(requirePayment(journal, paymentId), history.timeline(paymentId), clock.now());
    return { packet, markdown: disputeMarkdown(packet) };
  },

  'payments.withdraw': async ({ paymentId }) => {
    requirePayment(journal, paymentId);
    if (!(await payments.withdraw(paymentId))) throw new BursarError('APPROVAL_STALE', `Payment ${paymentId} does not wait (any more).`);
    return {};
  },

  'payments.cancelCost': async ({ paymentId }) => {
    const { coin, decimals, maxFee, balance } = await cancellations.cost(paymentId, AbortSignal.timeout(CHAIN_LIMIT_MS));
    return { coin, decimals, maxFeeUnits: maxFee.toString(), balanceUnits: balance.toString() };
  },

  'payments.cancel': async ({ paymentId, maxFeeUnits }) => ({ transaction: await cancellations.cancel(paymentId, BigInt(maxFeeUnits), AbortSignal.timeout(CHAIN_LIMIT_MS)) }),

  'payments.pardon': ({ upstream }) => {
    // A paid HTTP API is not among the servers; one that owes answers is known by them.
    journal.atomically((tx) => {
      if (!upstreamNames().includes(upstream) && tx.undeliveredInRow(upstream) === 0) throw new BursarError('NOT_FOUND', `There is no server "${upstream}", and no HTTP API of that name was paid and did not answer.`, { context: { upstream } });
      tx.pardon(upstream);
    });
    return {};
  },

  'payments.spend': () => {
    const { policy } = policies.current();
    const now = clock.now();
    const today = sliceOf('day', now, policy.timeZone);
    const spent = history.spentSince(now - reach('day')).filter(({ at }) => sliceOf('day', at, policy.timeZone) >= today);
    const total = (of: typeof spent) => of.reduce((sum, { usd }) => sum + usd, 0n).toString();
    const cap = (upstream?: string) => {
      const limits = policy.caps.filter(({ window, unit, over }) => window === 'day' && unit === 'USD' && isScopeOf(over, upstream)).map(({ amount, unit }) => limitOf(amount, unit, assets));
      const [first, ...rest] = limits;
      return first === undefined ? {} : { dayCapUnits: rest.reduce((least, limit) => (limit < least ? limit : least), first).toString() };
    };
    return {
      unit: 'USD' as const,
      todayUnits: total(spent),
      ...cap(),
      byUpstream: [...new Set([...upstreamNames(), ...spent.filter(({ usd }) => usd > 0n).map(({ upstream }) => upstream)])].map((upstream) => ({ upstream, todayUnits: total(spent.filter((use) => use.upstream === upstream)), ...cap(upstream) })),
    };
  },
});

function requirePayment(journal: Journal, id: string): Payment {
  const payment = journal.get(id);
  if (!payment) throw new BursarError('NOT_FOUND', `There is no payment ${id}.`, { context: { payment: id } });
  return payment;
}
/** The scope of everything, or of one server and nothing narrower. */
const isScopeOf = (scope: Scope, upstream: string | undefined): boolean =>
  scope.upstream === upstream && Object.entries(scope).every(([key, value]) => key === 'upstream' || value === undefined);
