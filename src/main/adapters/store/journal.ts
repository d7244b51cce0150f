import type { Change, NewPayment, Payment, PaymentEvent } from '../../../core/payments/payment.ts';
import type { BudgetUse, Clock, Journal, JournalTransaction } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { createBudgets, type Budgets } from './budgets.ts';
import type { Db } from './database.ts';
import { changeableColumns, columnsOfNew, paymentOfRow, type Columns, type PaymentRow } from './payment-row.ts';

/** The condition of the partial index `payments_unresolved`, word for word, or SQLite would not use it. */
const UNRESOLVED = `money IN ('reserved', 'outstanding') OR (money = 'settled' AND final = 0)`;

const holdsBudget = (payment: Pick<Payment, 'money'>): boolean => payment.money !== 'none' && payment.money !== 'dead';

/** The journal over an open database, which has to be configured for durability by `openDatabase`. */
export function createJournal(db: Db, clock: Pick<Clock, 'now'>): Journal {
  const statements = prepare(db);
  const budgets = createBudgets(db);
  const tx = createTransaction(db, statements, clock, budgets);
  return {
    atomically<T>(work: (tx: JournalTransaction) => T): T {
      if (db.inTransaction) throw new BursarError('INTERNAL', 'A journal transaction was begun inside another one.');
      try {
        const result = db.transaction(() => work(tx)).immediate();
        budgets.keep();
        return result;
      } catch (error) {
        budgets.undo();
        throw error;
      }
    },
    get: (id) => read(statements, id),
    unresolved: () => statements.unresolved.all().map(paymentOfRow),
  };
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: Db) {
  return {
    get: db.prepare<[string], PaymentRow>('SELECT * FROM payments WHERE id = ?'),
    latestOfCall: db.prepare<[string], PaymentRow>(
      `SELECT * FROM payments WHERE call_key = ? AND decision IN ('waiting', 'approved') ORDER BY seq DESC LIMIT 1`,
    ),
    unresolved: db.prepare<[], PaymentRow>(`SELECT * FROM payments WHERE ${UNRESOLVED} ORDER BY seq`),
    insert: db.prepare<[Columns]>(`INSERT INTO payments (${NEW_COLUMNS.join(', ')}) VALUES (${NEW_COLUMNS.map((column) => `@${column}`).join(', ')})`),
    change: db.prepare<[Columns]>(`UPDATE payments SET ${CHANGE_COLUMNS.map((column) => `${column} = @${column}`).join(', ')} WHERE id = @id`),
    event: db.prepare<[string, number, string, string]>('INSERT INTO payment_events (payment_id, at, kind, detail) VALUES (?, ?, ?, ?)'),
    highWater: db.prepare<[], number>('SELECT high_water FROM journal_clock').pluck(),
    advance: db.prepare<[number]>('UPDATE journal_clock SET high_water = max(high_water, ?)'),
    lastSettled: db.prepare<[string, string], PaymentRow>(`SELECT * FROM payments WHERE upstream = ? AND tool = ? AND money = 'settled' ORDER BY seq DESC LIMIT 1`),
    everPaid: db.prepare<[string, string], number>(`SELECT 1 FROM payments WHERE network = ? AND payee = ? AND money = 'settled' LIMIT 1`).pluck(),
  };
}

const NEW_COLUMNS = [
  'id', 'created_at', 'updated_at', 'client', 'upstream', 'tool', 'call_key', 'arguments_text', 'dialect', 'challenge_text',
  'arguments_hash', 'scheme', 'network', 'asset', 'amount', 'payee', 'payer', 'flow', 'terms_digest', 'offer_text',
  'decision', 'money', 'service', 'reason_code', 'reason_text', 'rule', 'policy_number',
] as const;

const CHANGE_COLUMNS = [
  'updated_at', 'decision', 'money', 'service', 'reason_code', 'reason_text', 'rule', 'proof_text', 'track', 'outstanding_until',
  'transaction_id', 'final', 'receipt_text', 'answer_text',
] as const;

const read = (statements: Statements, id: string): Payment | undefined => {
  const row = statements.get.get(id);
  return row && paymentOfRow(row);
};

function createTransaction(db: Db, statements: Statements, clock: Pick<Clock, 'now'>, budgets: Budgets): JournalTransaction {
  /** Every write passes here, so that the high-water clock has seen whatever time a row shows. */
  const writeTime = (): number => {
    const now = clock.now();
    statements.advance.run(now);
    return now;
  };

  // Inside a transaction this is a savepoint: a write that fails halfway is undone even if the caller goes on.
  const savepoint = db.transaction((work: () => Payment) => work());
  const whole = (work: () => Payment): Payment => {
    if (!db.inTransaction) throw new BursarError('INTERNAL', 'A journal transaction was used after its end.');
    return savepoint(work);
  };

  return {
    highWater: () => statements.highWater.get() ?? 0,
    used: (policy, cap, when) => budgets.used(policy, cap, when),
    lastSettled(upstream, tool) {
      const row = statements.lastSettled.get(upstream, tool);
      return row && paymentOfRow(row);
    },
    everPaid: (network, payee) => statements.everPaid.get(network, payee) !== undefined,
    get: (id) => read(statements, id),
    latestOfCall(callKey) {
      const row = statements.latestOfCall.get(callKey);
      return row && paymentOfRow(row);
    },

    insert: (payment, uses, event) => whole(() => insert(payment, uses, event)),
    change: (id, change, event, options = {}) => whole(() => applyChange(id, change, event, options.release ?? false)),
  };

  function insert(payment: NewPayment, uses: readonly BudgetUse[], event: PaymentEvent): Payment {
    const at = writeTime();
    statements.insert.run(columnsOfNew(payment, at));
    statements.event.run(payment.id, at, event.kind, event.detail);
    budgets.reserve(payment.id, uses);
    return read(statements, payment.id)!;
  }

  function applyChange(id: string, change: Change, event: PaymentEvent, release: boolean): Payment {
    const before = read(statements, id);
    if (!before) throw new BursarError('NOT_FOUND', `There is no payment ${id}.`, { context: { payment: id } });
    const at = writeTime();
    const after: Payment = { ...before, ...change, updatedAt: at };
    if (release !== (holdsBudget(before) && !holdsBudget(after))) {
      const moves = `Payment ${id} goes from money ${before.money} to ${after.money} ${release ? 'with' : 'without'} releasing its budget.`;
      throw new BursarError('INTERNAL', moves, { context: { payment: id } });
    }
    statements.change.run({ ...changeableColumns(after), id, updated_at: at });
    statements.event.run(id, at, event.kind, event.detail);
    if (release) budgets.free(id);
    return after;
  }
}
