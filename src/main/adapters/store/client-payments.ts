import type { Payment } from '../../../core/payments/payment.ts';
import type { Db } from './database.ts';
import { paymentOfRow, type PaymentRow } from './payment-row.ts';

/** What one client paid: its signed payments, newest first, one by one, before the payment of a transaction where one is named. Nothing of another client. */
export type ClientPayments = (client: string, before?: string) => Iterable<Payment>;

/** So many rows are looked at for one question. */
const MOST_ROWS = 5_000;
const PAGE = 200;

export function createClientPayments(db: Db): ClientPayments {
  // The condition is that of the index (migration "discovery").
  const page = db.prepare<[string, number, number], PaymentRow>("SELECT * FROM payments WHERE client = ? AND decision = 'approved' AND proof_text <> '' AND seq < ? ORDER BY seq DESC LIMIT ?");
  const seqOf = db.prepare<[string, string], number>("SELECT seq FROM payments WHERE client = ? AND decision = 'approved' AND proof_text <> '' AND transaction_id = ?").pluck();

  return function* (client, before) {
    let from = before === undefined ? Number.MAX_SAFE_INTEGER : (seqOf.get(client, before) ?? 0);
    for (let read = 0; read < MOST_ROWS; read += PAGE) {
      const rows = page.all(client, from, PAGE);
      for (const row of rows) yield paymentOfRow(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      from = last.seq;
    }
  };
}
