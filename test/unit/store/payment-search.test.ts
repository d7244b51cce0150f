import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { paymentStatus } from '../../../src/core/payments/status.ts';
import { createPaymentSearch } from '../../../src/main/adapters/store/payment-search.ts';
import { paymentOfRow } from '../../../src/main/adapters/store/payment-row.ts';
import { createSearchThread } from '../../../src/main/adapters/store/search-thread.ts';
import { PaymentStatus, type PaymentFilter } from '../../../src/shared/contract/payments.ts';
import { created, newPayment, openStore, use } from './fixtures.ts';

/** A ledger with some payments, changed as a test says. */
function openSearch(count = 5) {
  const store = openStore();
  for (let number = 1; number <= count; number++) {
    store.clock.at += 1000;
    store.journal.atomically((tx) => tx.insert(newPayment(`p${number}`), [use(BigInt(number), { at: store.clock.at })], created));
  }
  const search = createPaymentSearch(store.db);
  const ids = (filter: PaymentFilter, page: { readonly offset?: number; readonly limit?: number; readonly newest?: number } = {}) =>
    search.find({ filter, offset: 0, limit: 100, ...page }).rows.map(({ id }) => id);
  return { ...store, search, ids };
}

/** How many threads run that were started from now on. */
function threadsFromNow(): () => number {
  let running = 0;
  const count = (worker: Worker): void => {
    running += 1;
    worker.once('exit', () => (running -= 1));
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  return () => running;
}

describe('searching the ledger', () => {
  it('skips or repeats a payment between two pages although others are paid meanwhile', () => {
    const { search, journal, ids } = openSearch();
    const first = search.find({ filter: {}, offset: 0, limit: 2 });
    expect([first.rows.map(({ id }) => id), first.count]).toEqual([['p5', 'p4'], 5]);
    journal.atomically((tx) => tx.insert(newPayment('p6'), [], created));
    expect(ids({}, { offset: 2, limit: 2, newest: first.newest })).toEqual(['p3', 'p2']);
    expect(search.find({ filter: {}, offset: 0, limit: 1 }).count).toBe(6);
  });

  it('finds other payments by a status than those that are shown with it', () => {
    const { search, journal, ids } = openSearch();
    journal.atomically((tx) => tx.change('p2', { money: 'none', decision: 'rejected' }, created, { release: true }));
    for (const status of PaymentStatus.options) {
      const shown = search.find({ filter: {}, offset: 0, limit: 100 }).rows.filter((row) => paymentStatus(paymentOfRow(row)) === status);
      expect([status, ids({ statuses: [status] })]).toEqual([status, shown.map(({ id }) => id)]);
    }
    expect(ids({ statuses: ['rejected'] })).toEqual(['p2']);
    expect(ids({ statuses: [] })).toEqual([]);
  });

  it('takes signs of a search for patterns, or leaves a bound of the dates out', () => {
    const { db, journal, clock, ids } = openSearch(3);
    for (const [id, tool] of [['x1', '100%_sure'], ['x2', '100 percent'], ['x3', String.raw`a\b`]] as const) {
      const payment = newPayment(id);
      journal.atomically((tx) => tx.insert({ ...payment, tool, ...(payment.terms && { terms: { ...payment.terms, tool } }) }, [], created));
    }
    expect(ids({ text: '0%_' })).toEqual(['x1']);
    expect(ids({ text: '%' })).toEqual(['x1']);
    expect(ids({ text: String.raw`\B` })).toEqual(['x3']);
    expect(ids({ text: `' OR 1 --` })).toEqual([]);
    expect(ids({ tool: 'a' })).toEqual([]);
    const begun = db.prepare<[], number>(`SELECT created_at FROM payments WHERE id = 'p2'`).pluck().get() ?? 0;
    expect(ids({ from: begun, to: begun + 1 })).toEqual(['p2']);
    expect(clock.at).toBeGreaterThan(begun);
  });

  it('adds amounts up with a rounding, or what was freed, or what moved to what is held', () => {
    const { journal, search } = openSearch(2);
    const long = 10n ** 30n;
    journal.atomically((tx) => tx.insert(newPayment('p3'), [use(long)], created));
    journal.atomically((tx) => tx.insert(newPayment('p4'), [use(7n)], created));
    journal.atomically((tx) => tx.change('p4', { money: 'none', decision: 'rejected' }, created, { release: true }));
    const { tokens, usd, unpriced } = search.totals({});
    expect(tokens.map(({ moved, held }) => [moved, held])).toEqual([['0', String(long + 3n)]]);
    expect([usd, unpriced]).toEqual([{ moved: '0', held: String(long + 3n) }, 0]);
    expect(search.totals({ text: 'nothing of the kind' }).tokens).toEqual([]);
  });

  it('puts spending on the edge of two days into both, or into none', () => {
    const { search, clock } = openSearch(2);
    const [first, second] = [clock.at - 1000, clock.at];
    expect(search.spendBetween([first, second, second + 1]).map(({ slice, usd }) => [slice, usd])).toEqual([[0, '1'], [1, '2']]);
    expect(search.spendBetween([second + 1, second + 2])).toEqual([]);
  });

  it('answers otherwise from its thread than on the main one, or writes there', async () => {
    const { path, search, db } = openSearch();
    const thread = createSearchThread({ entry: new URL('../../../src/main/adapters/store/search-worker.ts', import.meta.url).pathname, database: path });
    onTestFinished(() => thread.close());
    const before = db.prepare('PRAGMA data_version').pluck().get();
    expect(await thread.find({ filter: {}, offset: 1, limit: 2 })).toEqual(search.find({ filter: {}, offset: 1, limit: 2 }));
    expect(await thread.totals({})).toEqual(search.totals({}));
    expect(await thread.facets()).toEqual(search.facets());
    await expect(thread.find({ filter: {}, offset: 0, limit: Number.NaN })).rejects.toThrow();
    expect((await thread.find({ filter: {}, offset: 0, limit: 1 })).count).toBe(5);
    expect(db.prepare('PRAGMA data_version').pluck().get()).toBe(before);
  });

  it('keeps a thread that nobody asks, or leaves a question unanswered for which it had ended', async () => {
    const { path, search } = openSearch();
    const threads = threadsFromNow();
    const thread = createSearchThread({ entry: new URL('../../../src/main/adapters/store/search-worker.ts', import.meta.url).pathname, database: path, idleMs: 20 });
    onTestFinished(() => thread.close());
    for (let time = 1; time <= 3; time += 1) {
      expect(await thread.facets()).toEqual(search.facets());
      expect(threads()).toBe(1);
      await expect.poll(threads).toBe(0);
    }
  });

  it('leaves a question unanswered because it is closed', async () => {
    const { path, search } = openSearch();
    const thread = createSearchThread({ entry: new URL('../../../src/main/adapters/store/search-worker.ts', import.meta.url).pathname, database: path });
    const asked = thread.facets();
    await thread.close();
    expect(await asked).toEqual(search.facets());
    await expect(thread.facets()).rejects.toThrow('closing');
  });

  it('leaves a question unanswered whose thread could not start', async () => {
    const thread = createSearchThread({ entry: new URL('../../../src/main/adapters/store/search-worker.ts', import.meta.url).pathname, database: '/nowhere/bursar.db' });
    onTestFinished(() => thread.close());
    await expect(thread.facets()).rejects.toThrow();
    await expect(thread.facets()).rejects.toThrow();
  });
});
