import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A row of the journal as it lies in the file, read without any of the application's code. */
export interface LedgerRow {
  readonly seq: number;
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly upstream: string;
  readonly call_key: string;
  readonly arguments_text: string;
  readonly network: string | null;
  readonly amount: string | null;
  readonly payee: string | null;
  readonly payer: string | null;
  readonly decision: string;
  readonly money: string;
  readonly service: string;
  readonly reason_code: string;
  readonly reason_text: string;
  readonly rule: string;
  readonly final: number;
  readonly transaction_id: string;
  readonly track: string | null;
}

export interface Ledger {
  readonly rows: readonly LedgerRow[];
  /** When each payment was signed (ms), by id. */
  readonly signedAt: ReadonlyMap<string, number>;
  /** When each payment was delivered (ms), by id. */
  readonly deliveredAt: ReadonlyMap<string, number>;
  /** When the application called a payment dead (ms), by id. */
  readonly deadAt: ReadonlyMap<string, number>;
  /** What each payment holds of budgets in its own asset, without fees in coins (base units), by id. */
  readonly held: ReadonlyMap<string, bigint>;
  /** SQLite's own check of the file: `ok`. */
  readonly integrity: string;
}

/** Reads the journal's file. Works beside a running application, too. */
export function readLedger(home: string): Ledger {
  const db = new Database(join(home, 'bursar.db'), { readonly: true });
  try {
    const events = db.prepare<[string, string], { id: string; at: number }>('SELECT payment_id AS id, min(at) AS at FROM payment_events WHERE kind = ? AND detail LIKE ? GROUP BY payment_id');
    const timesOf = (kind: string, detail = '%') => new Map(events.all(kind, detail).map(({ id, at }) => [id, at]));
    const uses = db.prepare<[], { id: string; units: string }>("SELECT p.id, u.units FROM budget_uses u JOIN payments p ON p.seq = u.payment WHERE u.asset LIKE '%:' || p.asset").all();
    return {
      rows: db.prepare<[], LedgerRow>('SELECT * FROM payments ORDER BY seq').all(),
      signedAt: timesOf('signed'),
      deliveredAt: timesOf('delivered'),
      deadAt: timesOf('observed', 'dead%'),
      held: new Map(uses.map(({ id, units }) => [id, BigInt(units)])),
      integrity: String(db.pragma('integrity_check', { simple: true })),
    };
  } finally {
    db.close();
  }
}

/** True when neither the chain nor a client can change anything about a row. */
export const isAtRest = ({ money, service, decision, final }: LedgerRow): boolean =>
  decision !== 'waiting' && !(decision === 'approved' && service === 'open') && (money === 'none' || money === 'dead' || (money === 'settled' && final === 1));
