import type { Payment, PaymentEvent } from '../../../core/payments/payment.ts';
import type { BudgetUse } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { parseBaseUnits } from '../../../shared/money/money.ts';
import type { Db } from './database.ts';
import type { Acceptance } from './accept.ts';
import { paymentOfRow, type PaymentRow } from './payment-row.ts';

/** An event of a timeline with its time (ms). */
export type TimelineEntry = PaymentEvent & { readonly at: number };

/** What pages and the command line read of the journal. Never writes. */
export interface History {
  /** Newest first; `before` is the id of the last row of the page before. Throws `NOT_FOUND` for an unknown one. */
  page(options: { readonly before?: string; readonly limit: number }): { readonly payments: readonly Payment[]; readonly more: boolean };
  /** What happened to a payment, in order. */
  timeline(id: string): readonly TimelineEntry[];
  /** What the owner accepted although it had been changed from outside, oldest first. */
  acceptances(): readonly Acceptance[];
  /** Every counter whose name begins with `prefix`, with the sum it holds. */
  spend(prefix: string): readonly BudgetUse[];
}

/** Largest code point: as UTF-8 no text sorts after it, so it bounds a range scan over a prefix. */
const LAST = '\u{10FFFF}';

export function createHistory(db: Db): History {
  const seqOf = db.prepare<[string], number>('SELECT seq FROM payments WHERE id = ?').pluck();
  const page = db.prepare<[number, number], PaymentRow>('SELECT * FROM payments WHERE seq < ? ORDER BY seq DESC LIMIT ?');
  const timeline = db.prepare<[string], TimelineEntry>('SELECT at, kind, detail FROM payment_events WHERE payment_id = ? ORDER BY seq');
  const spend = db.prepare<[string, string], { counter: string; units: string }>(
    'SELECT counter, units FROM budget_counters WHERE counter >= ? AND counter < ? ORDER BY counter',
  );
  const acceptances = db.prepare<[], { at: number; author: string; findings: string }>('SELECT at, author, findings FROM ledger_acceptances ORDER BY number');
  return {
    acceptances: () => acceptances.all().map((row) => ({ ...row, findings: parseFindings(row.findings) })),
    page({ before, limit }) {
      const from = before === undefined ? Number.MAX_SAFE_INTEGER : seqOf.get(before);
      if (from === undefined) throw new BursarError('NOT_FOUND', `There is no payment ${before}.`, { context: { payment: before! } });
      const rows = page.all(from, limit + 1);
      return { payments: rows.slice(0, limit).map(paymentOfRow), more: rows.length > limit };
    },
    timeline: (id) => timeline.all(id),
    spend: (prefix) => spend.all(prefix, prefix + LAST).map(({ counter, units }) => ({ counter, units: parseBaseUnits(units) })),
  };
}

const parseFindings = (text: string): string[] => JSON.parse(text);
