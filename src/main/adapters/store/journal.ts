import type { Change, NewPayment, Payment, PaymentEvent } from '../../../core/payments/payment.ts';
import type { BudgetUse, Clock, Journal, JournalTransaction } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { createBudgets, type Budgets } from './budgets.ts';
import { createChain, tampered, type Chain } from './chain.ts';
import type { Db } from './database.ts';
import type { LedgerGuard } from './ledger-guard.ts';
import { changedColumns, columnsOfNew, paymentOfRow, type Columns, type PaymentRow } from './payment-row.ts';
import type { RowDigest } from './row-digest.ts';

/** The condition of the partial index `payments_unresolved`, word for word, or SQLite would not use it. */
const UNRESOLVED = `money IN ('reserved', 'outstanding') OR (money = 'settled' AND final = 0) OR (service = 'open' AND decision = 'approved')`;

/** Conditions of the other partial indexes, word for word as well. */
const SIGNED = `decision = 'approved' AND proof_text <> ''`;
const UNTOLD = `service = 'lost' AND decision IN ('rejected', 'expired', 'cancelled')`;
const DELIVERED = `service = 'delivered'`;
const UNDELIVERED = `money = 'settled' AND answer_text = '' AND service IN ('refused', 'lost')`;

const KEPT = `service = 'lost' AND answer_text <> ''`;

const holdsBudget = (payment: Pick<Payment, 'money'>): boolean => payment.money !== 'none' && payment.money !== 'dead';

/** The journal over an open database, which has to be configured for durability by `openDatabase`. `guard` watches over every write. */
export function createJournal(db: Db, clock: Pick<Clock, 'now'>, guard?: LedgerGuard): Journal {
  const statements = prepare(db);
  const chain = createChain(db);
  const budgets = createBudgets(db);
  const tx = createTransaction({ db, statements, chain, budgets, clock, guard });
  return {
    atomically<T>(work: (tx: JournalTransaction) => T): T {
      if (db.inTransaction) throw new BursarError('INTERNAL', 'A journal transaction was begun inside another one.');
      try {
        const result = db
          .transaction(() => {
            guard?.begin();
            tx.begin();
            const value = work(tx);
            guard?.sign();
            return value;
          })
          .immediate();
        budgets.keep();
        guard?.committed();
        return result;
      } catch (error) {
        budgets.undo();
        throw error;
      }
    },
    get: (id) => read(statements, id),
    unresolved: () => statements.unresolved.all().map(paymentOfRow),
    keptAnswers: (until) => statements.keptAnswers.all(until),
  };
}

type Statements = ReturnType<typeof prepare>;

/**
 * Statements that sort, or ask for the largest, compare with `+?`: after a bare `?` SQLite plans them anew for each value that is bound, which
 * takes thirty times as long as the look-up itself.
 */
function prepare(db: Db) {
  return {
    get: db.prepare<[string], PaymentRow>('SELECT * FROM payments WHERE id = ?'),
    latestOfCall: db.prepare<[string], PaymentRow>(
      `SELECT * FROM payments WHERE call_key = +? AND ${SIGNED} ORDER BY seq DESC LIMIT 1`,
    ),
    boughtAt: db.prepare<[string], number>(
      `SELECT coalesce((SELECT max(at) FROM payment_events WHERE payment_id = payments.id AND kind = 'delivered'), created_at)
       FROM payments WHERE call_key = +? AND ${SIGNED} AND service = 'delivered' ORDER BY seq DESC LIMIT 1`,
    ).pluck(),
    untoldOfCall: db.prepare<[string], PaymentRow>(`SELECT * FROM payments WHERE call_key = +? AND ${UNTOLD} ORDER BY seq DESC LIMIT 1`),
    undeliveredInRow: db.prepare<{ upstream: string }, number>(
      `SELECT count(*) FROM payments WHERE upstream = +@upstream AND ${UNDELIVERED} AND reason_code <> 'ANSWER_EXPIRED' AND seq > max(
        coalesce((SELECT max(seq) FROM payments WHERE upstream = +@upstream AND ${DELIVERED}), 0),
        coalesce((SELECT after_seq FROM delivery_pardons WHERE upstream = +@upstream), 0))`,
    ).pluck(),
    pardon: db.prepare<[string]>(
      `INSERT INTO delivery_pardons (upstream, after_seq) VALUES (?, (SELECT coalesce(max(seq), 0) FROM payments))
       ON CONFLICT (upstream) DO UPDATE SET after_seq = excluded.after_seq`,
    ),
    unresolved: db.prepare<[], PaymentRow>(`SELECT * FROM payments WHERE ${UNRESOLVED} ORDER BY seq`),
    keptAnswers: db.prepare<[number], string>(`SELECT id FROM payments WHERE ${KEPT} AND updated_at <= ? ORDER BY updated_at LIMIT 100`).pluck(),
    insert: db.prepare<[Columns]>(`INSERT INTO payments (${NEW_COLUMNS.join(', ')}) VALUES (${NEW_COLUMNS.map((column) => `@${column}`).join(', ')})`),
    /** Sets these columns of the row `id`. */
    update: createUpdate(db),
    highWater: db.prepare<[], number>('SELECT high_water FROM journal_clock').pluck(),
    // Changes when another connection has written, and not by our own writes.
    foreignWrites: db.prepare<[], number>('PRAGMA data_version').pluck(),
    advance: db.prepare<[number]>('UPDATE journal_clock SET high_water = max(high_water, ?)'),
    lastSettled: db.prepare<[string, string], PaymentRow>(`SELECT * FROM payments WHERE upstream = +? AND tool = +? AND money = 'settled' ORDER BY seq DESC LIMIT 1`),
    settledBy: db.prepare<[string, string], PaymentRow>(`SELECT * FROM payments WHERE transaction_id = ? AND network = ? AND money = 'settled' LIMIT 100`),
    everPaid: db.prepare<{ network: string; payee: string; dialect: string | null }, number>(`SELECT 1 FROM payments WHERE network = @network AND payee = @payee AND money = 'settled' AND (@dialect IS NULL OR dialect = @dialect) LIMIT 1`).pluck(),
  };
}

const NEW_COLUMNS = [
  'id', 'created_at', 'updated_at', 'client', 'upstream', 'tool', 'call_key', 'arguments_text', 'dialect', 'challenge_text',
  'arguments_hash', 'scheme', 'network', 'asset', 'amount', 'payee', 'payer', 'flow', 'memo', 'terms_digest', 'offer_text', 'offers_text',
  'decision', 'money', 'service', 'reason_code', 'reason_text', 'rule', 'policy_number',
] as const;

/** Of the few sets of columns that changes have, each has its statement. */
function createUpdate(db: Db): (id: string, columns: Columns) => void {
  const known = new Map<string, ReturnType<typeof prepareUpdate>>();
  const prepareUpdate = (assignments: string) => db.prepare<[Columns]>(`UPDATE payments SET ${assignments} WHERE id = @id`);
  return (id, columns) => {
    const assignments = Object.keys(columns).map((column) => `${column} = @${column}`).join(', ');
    const statement = known.get(assignments) ?? prepareUpdate(assignments);
    known.set(assignments, statement);
    statement.run({ ...columns, id });
  };
}

const read = (statements: Statements, id: string): Payment | undefined => {
  const row = statements.get.get(id);
  return row && paymentOfRow(row);
};

interface TransactionParts {
  readonly db: Db;
  readonly statements: Statements;
  readonly chain: Chain;
  readonly budgets: Budgets;
  readonly clock: Pick<Clock, 'now'>;
  readonly guard: LedgerGuard | undefined;
}

/** The one transaction that can be open, used anew for each. */
interface Transaction extends JournalTransaction {
  /** Before its first use: what it knew of the file is forgotten. */
  begin(): void;
}

function createTransaction({ db, statements, chain, budgets, clock, guard }: TransactionParts): Transaction {
  /** Rows as this transaction wrote them, with what the chain says of them: nobody else can have changed one since. */
  const written = new Map<string, { readonly row: PaymentRow; readonly digest: RowDigest }>();
  let advancedTo = 0;
  let writes = 0;

  /** Every write passes here, so that the high-water clock has seen whatever time a row shows. */
  const writeTime = (): number => {
    const now = clock.now();
    if (now > advancedTo) statements.advance.run(now);
    advancedTo = Math.max(advancedTo, now);
    return now;
  };

  // Inside a transaction this is a savepoint: a write that fails halfway is undone even if the caller goes on.
  const savepoint = db.transaction((work: () => Payment) => work());
  const whole = (work: () => Payment): Payment => {
    if (!db.inTransaction) throw new BursarError('INTERNAL', 'A journal transaction was used after its end.');
    const undo = guard?.mark();
    writes += 1;
    try {
      return savepoint(work);
    } catch (error) {
      forget();
      undo?.();
      throw error;
    }
  };

  const forget = (): void => {
    written.clear();
    advancedTo = 0;
  };

  /** A row that a decision relies on has to be the one that the chain speaks of. Throws `LEDGER_TAMPERED`. */
  const requireWhole = (row: PaymentRow): RowDigest => {
    const digest = chain.holds(row);
    if (digest) return digest;
    const finding = `The payment ${row.id} was changed from outside in ${db.name}.`;
    guard?.raise(finding);
    throw tampered(finding);
  };

  const link = (id: string, at: number, event: PaymentEvent): { readonly row: PaymentRow; readonly digest: RowDigest } => {
    const row = statements.get.get(id)!;
    const linked = { row, digest: chain.append(row, at, event) };
    written.set(id, linked);
    return linked;
  };

  return {
    begin() {
      forget();
      budgets.begin();
    },
    version: () => `${statements.foreignWrites.get()}.${writes}`,
    highWater: () => statements.highWater.get() ?? 0,
    used: (policy, cap, when) => budgets.used(policy, cap, when),
    held: (paymentId) => budgets.held(paymentId),
    lastSettled(upstream, tool) {
      const row = statements.lastSettled.get(upstream, tool);
      return row && paymentOfRow(row);
    },
    everPaid: (network, payee, dialect) => statements.everPaid.get({ network, payee, dialect: dialect ?? null }) !== undefined,
    get: (id) => read(statements, id),
    settledBy: (network, transaction) => statements.settledBy.all(transaction, network).map(paymentOfRow),
    latestOfCall(callKey) {
      const row = statements.latestOfCall.get(callKey);
      if (row) requireWhole(row);
      return row && paymentOfRow(row);
    },

    boughtAt: (callKey) => statements.boughtAt.get(callKey),
    untoldOfCall(callKey) {
      const row = statements.untoldOfCall.get(callKey);
      return row && paymentOfRow(row);
    },
    undeliveredInRow: (upstream) => statements.undeliveredInRow.get({ upstream }) ?? 0,
    pardon(upstream) {
      writes += 1;
      statements.pardon.run(upstream);
    },

    insert: (payment, uses, event) => whole(() => insert(payment, uses, event)),
    change: (id, change, event, options = {}) => whole(() => applyChange(id, change, event, options.release ?? false)),
  };

  function insert(payment: NewPayment, uses: readonly BudgetUse[], event: PaymentEvent): Payment {
    if (uses.length > 0) guard?.requireReserve();
    const at = writeTime();
    statements.insert.run(columnsOfNew(payment, at));
    budgets.reserve(payment.id, uses);
    for (const use of chain.uses(payment.id)) guard?.moved(use, 0n, BigInt(use.units));
    return paymentOfRow(link(payment.id, at, event).row);
  }

  function applyChange(id: string, change: Change, event: PaymentEvent, release: boolean): Payment {
    const known = written.get(id);
    const rowBefore = known?.row ?? statements.get.get(id);
    if (!rowBefore) throw new BursarError('NOT_FOUND', `There is no payment ${id}.`, { context: { payment: id } });
    const { money: moneyBefore } = known?.digest ?? requireWhole(rowBefore);
    const before = paymentOfRow(rowBefore);
    if (before.money === 'reserved' && change.money === 'outstanding') guard?.requireSpend();
    const at = writeTime();
    const after: Payment = { ...before, ...change, updatedAt: at };
    if (release !== (holdsBudget(before) && !holdsBudget(after))) {
      const moves = `Payment ${id} goes from money ${before.money} to ${after.money} ${release ? 'with' : 'without'} releasing its budget.`;
      throw new BursarError('INTERNAL', moves, { context: { payment: id } });
    }
    statements.update(id, changedColumns(change, after));
    if (release) {
      for (const use of chain.uses(id)) guard?.moved(use, BigInt(use.units), 0n);
      budgets.free(id);
    }
    if (!link(id, at, event).digest.money.equals(moneyBefore)) guard?.requireMove(id);
    return after;
  }
}
