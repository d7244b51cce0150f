import { describe, expect, it, vi } from 'vitest';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { created, newPayment, openStore, use } from './fixtures.ts';

function storeWithPayment() {
  const store = openStore();
  store.journal.atomically((tx) => tx.insert(newPayment('p1'), [use(1n)], created));
  return store;
}

describe('schema', () => {
  it.each([
    [`UPDATE payments SET payee = '0xattacker'`, /terms of a payment never change/],
    [`UPDATE payments SET amount = '1'`, /terms of a payment never change/],
    [`UPDATE payments SET network = 'eip155:8453'`, /terms of a payment never change/],
    [`UPDATE payments SET offers_text = '[]'`, /terms of a payment never change/],
    [`UPDATE payments SET challenge_text = '{}'`, /changes with its signature alone/],
    [`UPDATE payments SET offer_text = '{}', proof_text = '{}'`, /changes with its signature alone/],
    [`UPDATE payments SET id = 'p2'`, /terms of a payment never change/],
    [`UPDATE payments SET money = 'settled'`, /cannot move that way/],
    [`UPDATE payments SET money = 'stolen'`, /cannot move that way/],
    [`UPDATE payments SET money = 'outstanding'`, /needs a track/],
    [`UPDATE payments SET final = 1`, /CHECK/],
    [`UPDATE payments SET decision = 'maybe'`, /CHECK/],
    [`UPDATE payments SET service = 'maybe'`, /CHECK/],
    [`DELETE FROM payments`, /never deleted/],
    [`UPDATE payment_events SET detail = 'nothing happened'`, /append-only/],
    [`DELETE FROM payment_events`, /append-only/],
    [`INSERT INTO payment_events (payment_id, at, kind, detail) VALUES ('nobody', 1, 'k', '')`, /FOREIGN KEY/],
    [`DELETE FROM budget_uses`, /freed only when/],
    [`UPDATE budget_uses SET units = '0'`, /never changes/],
    [`INSERT INTO budget_uses VALUES (1, 'other', '-1', NULL, 1, '')`, /CHECK/],
    [`INSERT INTO budget_uses VALUES (1, 'other', '1', '1e3', 1, '')`, /CHECK/],
    [`DELETE FROM journal_clock`, /never goes back/],
    [`INSERT INTO policy_versions (number, saved_at, author, json) VALUES (0, 1, 'a', '{}')`, /CHECK/],
  ])('accepts %s', (sql, why) => {
    expect(() => storeWithPayment().db.exec(sql)).toThrow(why);
  });

  it('lets a payment begin as settled, or a free one hold budget', () => {
    const store = openStore();
    const insert = (money: 'outstanding' | 'settled' | 'dead' | 'none') =>
      store.journal.atomically((tx) => tx.insert(newPayment('p1', { money }), [use(1n)], created));
    for (const money of ['outstanding', 'settled', 'dead'] as const) expect(() => insert(money)).toThrow(/begins with money none or reserved/);
    expect(() => insert('none')).toThrow(/only a reservation/);
  });

  it('I9: lets the challenge of a signed payment be changed, or does not hold the one that was answered', () => {
    const { journal, db } = storeWithPayment();
    const answered = { challengeText: '{"new":1}', offerText: '{"offer":1}' };
    journal.atomically((tx) => tx.change('p1', { money: 'outstanding', track: { nonce: '1' }, ...answered }, created));
    expect(journal.get('p1')).toMatchObject(answered);
    expect(() => journal.atomically((tx) => tx.change('p1', { challengeText: '{}' }, created))).toThrow(/changes with its signature alone/);
    expect(() => db.exec(`UPDATE payments SET money = 'settled', challenge_text = '{}'`)).toThrow(/changes with its signature alone/);
    expect(() => journal.atomically((tx) => tx.change('p1', { money: 'settled' }, created))).not.toThrow();
  });

  it('lets a final settlement be undone', () => {
    const { journal, db } = storeWithPayment();
    journal.atomically((tx) => {
      tx.change('p1', { money: 'outstanding', track: { nonce: '1' } }, created);
      tx.change('p1', { money: 'settled', final: true }, created);
    });
    for (const sql of [`UPDATE payments SET final = 0`, `UPDATE payments SET final = 0, money = 'outstanding'`]) expect(() => db.exec(sql)).toThrow(/never changes/);
  });

  it('makes the journal read a whole table, or sort one, for what a payment needs', () => {
    const { db, clock } = openStore();
    const prepared = vi.spyOn(db, 'prepare');
    createJournal(db, clock);
    const statements = prepared.mock.calls.map(([sql]) => sql).filter((sql) => /^(SELECT|UPDATE|DELETE)/.test(sql) && !sql.includes('journal_clock'));
    expect(statements.length).toBeGreaterThan(15);
    for (const sql of statements) {
      const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 'x']));
      const parameters = sql.includes('@') ? [named] : [...sql.matchAll(/\?/g)].map(() => 'x');
      const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
      // The newest of all is the end of the table itself.
      const newest = /^SELECT [\w, ]+ FROM \w+ ORDER BY seq DESC LIMIT 1$/.test(sql);
      for (const { detail } of plan) if (!newest) expect(detail, sql).not.toMatch(/^SCAN (?!payments USING INDEX payments_unresolved)|TEMP B-TREE/);
    }
  });
});
