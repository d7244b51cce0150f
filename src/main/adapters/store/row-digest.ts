import { hash } from 'node:crypto';
import type { PaymentRow } from './payment-row.ts';

/** One use of budget as it is stored. */
export interface UseRow {
  /** Payment, asset, dollar worth, time and session as one JSON text: which use it is. */
  readonly use: string;
  readonly units: string;
  /** When it was reserved (ms). */
  readonly at: number;
}

/** Columns of `budget_uses` that make a {@link UseRow}. */
export const USE_COLUMNS = 'json_array(payment, asset, usd, at, session) AS use, units, at';

/** What a link of the chain says of a payment after a write. */
export interface RowDigest {
  /** Over terms, money, proof, track and budget uses: all that decides what was spent. */
  readonly money: Buffer;
  /** Over the whole row. */
  readonly row: Buffer;
}

/** Columns that say how a call is served. Every other one, also of a later migration, counts as money. */
const SERVICE_COLUMNS: ReadonlySet<string> = new Set(['updated_at', 'decision', 'service', 'reason_code', 'reason_text', 'rule', 'receipt_text', 'answer_text']);

export const HASH_BYTES = 32;

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  hash('sha256', Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))), 'buffer');

/**
 * Digest of a payment as SQLite gives it back. Columns that hold nothing (null, empty, 0) are left out, so that a migration may add a
 * column without changing the digest of any older row.
 */
export function rowDigest(row: PaymentRow, uses: readonly UseRow[]): RowDigest {
  const money: unknown[] = [];
  const service: unknown[] = [];
  for (const [column, value] of Object.entries(row)) {
    if (value) (SERVICE_COLUMNS.has(column) ? service : money).push(column, value);
  }
  for (const { use, units } of uses) money.push(['use', use, units]);
  const moneyHash = sha256(JSON.stringify(money));
  return { money: moneyHash, row: sha256(moneyHash, JSON.stringify(service)) };
}
