import type { BudgetUse } from '../../../core/ports.ts';
import { BudgetSums, type HeldUse, type HeldUses } from '../../../core/policy/budget-sums.ts';
import { assetId } from '../../../shared/money/asset-id.ts';
import type { NetworkId } from '../../../core/registry/networks.ts';
import { parseBaseUnits, type BaseUnits } from '../../../shared/money/money.ts';
import type { Policy } from '../../../shared/policy/policy.ts';
import type { Db } from './database.ts';

/** What is held of budgets: the table is the truth, the sums in memory follow it. Used inside of journal transactions alone. */
export interface Budgets {
  /** A transaction began: somebody else may have written before it, and nobody can while it lasts. */
  begin(): void;
  /** See `JournalTransaction.used`. */
  used(policy: Policy, cap: number, when: Pick<BudgetUse, 'at' | 'session'>): BaseUnits;
  held(paymentId: string): readonly HeldUse[];
  reserve(paymentId: string, uses: readonly BudgetUse[]): void;
  free(paymentId: string): void;
  /** The transaction holds: what it reserved and freed stays in the sums. */
  keep(): void;
  /** The transaction was rolled back, and the sums with it. */
  undo(): void;
}

interface UseRow {
  readonly asset: string;
  readonly units: string;
  readonly usd: string | null;
  readonly at: number;
  readonly session: string;
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly network: NetworkId;
  readonly payee: string;
  readonly payer: string;
  readonly token: string;
}

const SELECT = `SELECT u.asset, u.units, u.usd, u.at, u.session, p.client, p.upstream, p.tool, p.network, p.payee, p.payer, p.asset AS token
  FROM budget_uses u JOIN payments p ON p.seq = u.payment`;

export function createBudgets(db: Db): Budgets {
  const since = db.prepare<[number], UseRow>(`${SELECT} WHERE u.at >= ?`);
  const ofSession = db.prepare<[string], UseRow>(`${SELECT} WHERE u.session = ? AND u.session <> ''`);
  const ofPayment = db.prepare<[string], UseRow>(`${SELECT} WHERE u.payment = (SELECT seq FROM payments WHERE id = ?)`);
  const insert = db.prepare<[string, string, string, string | null, number, string]>(
    'INSERT INTO budget_uses (payment, asset, units, usd, at, session) VALUES ((SELECT seq FROM payments WHERE id = ?), ?, ?, ?, ?, ?)',
  );
  const remove = db.prepare<[string]>('DELETE FROM budget_uses WHERE payment = (SELECT seq FROM payments WHERE id = ?)');
  const highWater = db.prepare<[], number>('SELECT high_water FROM journal_clock').pluck();
  // Changes when another connection has written, and not by our own writes.
  const foreignWrites = db.prepare<[], number>('PRAGMA data_version').pluck();

  const source: HeldUses = {
    *since(at) {
      for (const row of since.iterate(at)) yield heldUse(row);
    },
    *ofSession(session) {
      for (const row of ofSession.iterate(session)) yield heldUse(row);
    },
  };

  let sums: BudgetSums | undefined;
  let seen: number | undefined;
  let looked = false;
  let pending: { readonly use: HeldUse; readonly reserved: boolean }[] = [];

  const take = (use: HeldUse, reserved: boolean) => {
    pending.push({ use, reserved });
    if (reserved) sums?.add(use);
    else sums?.remove(use);
  };

  return {
    begin() {
      looked = false;
    },

    used(policy, cap, when) {
      const version = looked ? seen : foreignWrites.get();
      looked = true;
      if (sums?.policy !== policy || seen !== version) {
        sums = new BudgetSums(policy, source, highWater.get() ?? 0);
        seen = version;
      }
      return sums.used(cap, when);
    },

    held: (paymentId) => ofPayment.all(paymentId).map(heldUse),

    reserve(paymentId, uses) {
      for (const { asset, units, usd, at, session } of uses) insert.run(paymentId, asset, units.toString(), usd?.toString() ?? null, at, session);
      for (const row of ofPayment.all(paymentId)) take(heldUse(row), true);
    },

    free(paymentId) {
      const rows = ofPayment.all(paymentId);
      remove.run(paymentId);
      for (const row of rows) take(heldUse(row), false);
    },

    keep() {
      for (const { use, reserved } of pending) if (reserved) sums?.forgetBefore(use.at);
      pending = [];
    },

    undo() {
      for (const { use, reserved } of pending.toReversed()) {
        if (reserved) sums?.remove(use);
        else sums?.add(use);
      }
      pending = [];
    },
  };
}

function heldUse(row: UseRow): HeldUse {
  const { client, upstream, tool, network, payee, payer, asset, at, session } = row;
  return {
    client, upstream, tool, network, payee, payer, asset, at, session,
    paid: assetId({ network, address: row.token }),
    units: parseBaseUnits(row.units),
    ...(row.usd !== null && { usd: parseBaseUnits(row.usd) }),
  };
}
