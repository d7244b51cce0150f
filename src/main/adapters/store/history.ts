import type { Payment, PaymentEvent } from '../../../core/payments/payment.ts';
import type { PastPayment } from '../../../core/policy/simulate.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
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
  /** What a payment holds of other tokens than its own: network fees, and rent. CAIP-19 ids and base units. */
  feesOf(id: string): readonly { readonly asset: string; readonly units: string }[];
  /** What the owner accepted although it had been changed from outside, oldest first. */
  acceptances(): readonly Acceptance[];
  /** What was reserved since an instant and is not freed, in millionths of a US dollar where a price was known. */
  spentSince(at: number): readonly { readonly upstream: string; readonly at: number; readonly usd: bigint }[];
  /** The newest payments with terms, oldest of them first, one by one; with what the reservation froze of those that still hold budget. */
  replay(limit: number): Iterable<PastPayment>;
}

export function createHistory(db: Db): History {
  const seqOf = db.prepare<[string], number>('SELECT seq FROM payments WHERE id = ?').pluck();
  const page = db.prepare<[number, number], PaymentRow>('SELECT * FROM payments WHERE seq < ? ORDER BY seq DESC LIMIT ?');
  const timeline = db.prepare<[string], TimelineEntry>('SELECT at, kind, detail FROM payment_events WHERE payment_id = ? ORDER BY seq');
  const fees = db.prepare<[string], { asset: string; units: string }>(
    `SELECT u.asset, u.units FROM budget_uses u JOIN payments p ON p.seq = u.payment WHERE p.id = ? AND u.asset NOT LIKE '%:' || p.asset ORDER BY u.asset`,
  );
  const spent = db.prepare<[number], { upstream: string; at: number; usd: string | null }>(
    'SELECT p.upstream, u.at, u.usd FROM budget_uses u JOIN payments p ON p.seq = u.payment WHERE u.at >= ?',
  );
  const start = db.prepare<[number], number | null>('SELECT min(seq) FROM (SELECT seq FROM payments WHERE scheme IS NOT NULL ORDER BY seq DESC LIMIT ?)').pluck();
  const replay = db.prepare<[number], PaymentRow & HeldColumns>(
    `SELECT p.*, u.session, u.units, u.usd,
      (SELECT json_group_array(json_object('asset', f.asset, 'units', f.units, 'usd', f.usd)) FROM budget_uses f WHERE f.payment = p.seq AND f.asset NOT LIKE '%:' || p.asset) AS fees
    FROM payments p LEFT JOIN budget_uses u ON u.payment = p.seq AND u.asset LIKE '%:' || p.asset WHERE p.seq >= ? AND p.scheme IS NOT NULL ORDER BY p.seq LIMIT 500`,
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
    feesOf: (id) => fees.all(id),
    spentSince: (at) => spent.all(at).map((row) => ({ ...row, usd: BigInt(row.usd ?? '0') })),
    *replay(limit) {
      // In pages, so that no statement stays open while the caller lets others work.
      let from = start.get(limit) ?? undefined;
      while (from !== undefined) {
        const rows = replay.all(from);
        for (const row of rows) yield { payment: paymentOfRow(row), ...heldOfRow(row) };
        const last = rows.at(-1);
        from = last && last.seq + 1;
      }
    },
  };
}

/** What a payment holds in its own token, and as JSON what it holds in others. */
interface HeldColumns {
  readonly session: string | null;
  readonly units: string | null;
  readonly usd: string | null;
  readonly fees: string;
}

function heldOfRow({ session, units, usd, fees }: HeldColumns): Omit<PastPayment, 'payment'> {
  const others = JSON.parse(fees) as readonly { readonly asset: string; readonly units: string; readonly usd: string | null }[];
  return {
    session: session ?? '',
    ...(units !== null && { units: BigInt(units) }),
    ...(usd !== null && { usd: BigInt(usd) }),
    fees: others.map((fee) => ({ asset: fee.asset, units: BigInt(fee.units), ...(fee.usd !== null && { usd: BigInt(fee.usd) }) })),
  };
}

const parseFindings = (text: string): string[] => JSON.parse(text);
