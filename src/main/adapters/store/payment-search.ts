import type { PaymentFilter } from '../../../shared/contract/payments.ts';
import type { Db } from './database.ts';
import { exactSum, exactSumColumns } from './exact-sum.ts';
import { conditionOf } from './payment-filter.ts';
import type { PaymentRow } from './payment-row.ts';

/** Rows of the ledger that fit a filter, newest first. */
export interface FoundRows {
  /** Without what is long and no table shows: proofs, answers and receipts. */
  readonly rows: readonly PaymentRow[];
  /** All that fit, at and below `newest`. */
  readonly count: number;
  /** Number of the newest row of the ledger when this was first asked; later pages name it, so that new payments shift nothing. */
  readonly newest: number;
}

/** What payments of a filter moved and hold, in one token. */
export interface TokenTotal {
  /** CAIP-19. */
  readonly asset: string;
  /** Base units as decimal strings. */
  readonly moved: string;
  readonly held: string;
}

/** What a filter comes to. The budgets' own figures, so fees stand under the coin that they are paid in. */
export interface Totals {
  readonly tokens: readonly TokenTotal[];
  /** Millionths of a US dollar, at the prices that were frozen when each was reserved. */
  readonly usd: { readonly moved: string; readonly held: string };
  /** Payments of which no price was known, so that they are in no figure in dollars. */
  readonly unpriced: number;
}

/** What the filters of a page can be set to; the most used first. */
export interface Facets {
  readonly upstreams: readonly string[];
  readonly tools: readonly string[];
  readonly networks: readonly string[];
}

/** What was spent and is held in one slice of time. */
export interface SliceSpend {
  /** Place in the list of slices that was asked for. */
  readonly slice: number;
  readonly upstream: string;
  /** Millionths of a US dollar. */
  readonly usd: string;
}

/** Reads over the whole ledger that may take a while. They never write, so a read-only connection in a worker can carry them. */
export interface PaymentSearch {
  find(request: { readonly filter: PaymentFilter; readonly newest?: number; readonly offset: number; readonly limit: number }): FoundRows;
  totals(filter: PaymentFilter): Totals;
  facets(): Facets;
  /** Spending by server between each two neighbouring instants. */
  spendBetween(instants: readonly number[]): readonly SliceSpend[];
}

/** A figure that a menu could not hold is no help. */
const MOST_FACETS = 200;

/** Everything that a row of the table shows. An order's words stand in its challenge; of any other row it is long and shown by its details alone. */
const SHOWN = `seq, id, created_at, updated_at, client, upstream, tool, '' AS call_key, '' AS arguments_text, dialect, CASE dialect WHEN 'order' THEN challenge_text ELSE '' END AS challenge_text,
  arguments_hash, scheme, network, asset, amount, payee, payer, flow, memo, terms_digest, '' AS offer_text, decision, money, service, reason_code, reason_text, rule, policy_number,
  '' AS proof_text, NULL AS track, outstanding_until, transaction_id, final, '' AS receipt_text, '' AS answer_text, CASE WHEN scheme IS NULL THEN offers_text ELSE '' END AS offers_text`;

export function createPaymentSearch(db: Db): PaymentSearch {
  const newestSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM payments').pluck();
  const rowsOf = db.prepare<[string], PaymentRow>(`SELECT ${SHOWN} FROM payments WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`);
  const facet = (column: string) =>
    db.prepare<[number], string>(`SELECT ${column} FROM payments p INDEXED BY payments_history WHERE ${column} <> '' GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT ?`).pluck();
  const facets = { upstreams: facet('upstream'), tools: facet('tool'), networks: facet('network') };
  const spend = db.prepare<[number, number], { upstream: string; usd_small: string; usd_large: string }>(
    `SELECT p.upstream, ${exactSumColumns('u.usd', 'usd')} FROM budget_uses u JOIN payments p ON p.seq = u.payment WHERE u.at >= ? AND u.at < ? AND u.usd IS NOT NULL GROUP BY p.upstream`,
  );

  return {
    find({ filter, newest = newestSeq.get() ?? 0, offset, limit }) {
      const { sql, values } = conditionOf(filter);
      const bound = { ...values, newest };
      // Both walk the index alone, in the order of the rows: nothing is sorted, and no row is read that is not shown.
      const from = `FROM payments p INDEXED BY payments_history WHERE p.seq <= @newest AND ${sql}`;
      const count = db.prepare<[object], number>(`SELECT count(*) ${from}`).pluck().get(bound) ?? 0;
      const seqs = db.prepare<[object], number>(`SELECT p.seq ${from} ORDER BY p.seq DESC LIMIT @limit OFFSET @offset`).pluck().all({ ...bound, limit, offset });
      return { rows: rowsOf.all(JSON.stringify(seqs)), count, newest };
    },
    totals(filter) {
      const { sql, values } = conditionOf(filter);
      const rows = db
        .prepare<[object], Record<string, unknown> & { asset: string; unpriced: number }>(
          `SELECT u.asset, ${exactSumColumns('u.units', 'moved', "p.money = 'settled'")}, ${exactSumColumns('u.units', 'held', "p.money <> 'settled'")},
            ${exactSumColumns('u.usd', 'usd_moved', "p.money = 'settled'")}, ${exactSumColumns('u.usd', 'usd_held', "p.money <> 'settled'")}, count(*) FILTER (WHERE u.usd IS NULL) AS unpriced
          FROM payments p INDEXED BY payments_history JOIN budget_uses u ON u.payment = p.seq WHERE ${sql} GROUP BY u.asset ORDER BY count(*) DESC, u.asset`,
        )
        .all(values);
      const total = (name: string): string => rows.reduce((sum, row) => sum + exactSum(row, name), 0n).toString();
      return {
        tokens: rows.map((row) => ({ asset: row.asset, moved: exactSum(row, 'moved').toString(), held: exactSum(row, 'held').toString() })),
        usd: { moved: total('usd_moved'), held: total('usd_held') },
        unpriced: rows.reduce((sum, { unpriced }) => sum + unpriced, 0),
      };
    },
    facets: () => ({ upstreams: facets.upstreams.all(MOST_FACETS), tools: facets.tools.all(MOST_FACETS), networks: facets.networks.all(MOST_FACETS) }),
    spendBetween: (instants) =>
      instants.slice(1).flatMap((to, slice) => spend.all(instants[slice] ?? to, to).map((row) => ({ slice, upstream: row.upstream, usd: exactSum(row, 'usd').toString() }))),
  };
}
