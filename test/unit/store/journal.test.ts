import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/core/payments/payment.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { created, dayCap, newPayment, openStore, policyOf, use, type Store } from './fixtures.ts';

const policy = policyOf(dayCap);
const event = { kind: 'tested', detail: '' };
const signed: Change = { money: 'outstanding', proofText: '{"p":1}', track: { nonce: '0x01' }, outstandingUntil: 1_700_000_600_000 };

const insert = ({ journal }: Store, id: string, uses = [use(10n)], over = {}) => journal.atomically((tx) => tx.insert(newPayment(id, over), uses, created));
const change = ({ journal }: Store, id: string, what: Change, release = false) => journal.atomically((tx) => tx.change(id, what, event, { release }));
const used = ({ journal }: Store) => journal.atomically((tx) => tx.used(policy, 0, use(1n)));

describe('journal', () => {
  it('gives back another payment than was written', () => {
    const store = openStore();
    const inserted = insert(store, 'p1');
    expect(inserted).toEqual({
      ...newPayment('p1'),
      createdAt: store.clock.at,
      updatedAt: store.clock.at,
      proofText: '',
      transaction: '',
      final: false,
      receiptText: '',
      answerText: '',
    });
    store.clock.at += 5;
    const changed = change(store, 'p1', { ...signed, decision: 'approved', reason: { code: 'INTERNAL', text: 'ü\u0000"' }, receiptText: 'r', answerText: 'a', transaction: '0xt' });
    expect(changed).toMatchObject({ ...signed, decision: 'approved', updatedAt: store.clock.at, createdAt: store.clock.at - 5 });
    expect(store.journal.get('p1')).toEqual(changed);
    expect(store.journal.get('other')).toBeUndefined();
  });

  it('cannot store a row whose challenge had no usable offer, or lets money move on it', () => {
    const store = openStore();
    const { terms: _, ...unread } = newPayment('p1', { decision: 'denied', money: 'none', termsDigest: '', offerText: '' });
    const row = store.journal.atomically((tx) => tx.insert(unread, [], created));
    expect(row.terms).toBeUndefined();
    expect(() => store.journal.atomically((tx) => tx.insert({ ...unread, id: 'p2', money: 'reserved' }, [], created))).toThrow(/CHECK/);
  });

  it('stores terms of one call in the row of another', () => {
    const store = openStore();
    expect(() => insert(store, 'p1', [], { upstream: 'other' })).toThrow(/another upstream/);
    expect(store.journal.get('p1')).toBeUndefined();
  });

  it('I10: finds a purchase that was never signed, or an older one, when a call is repeated', () => {
    const store = openStore();
    const call = { callKey: 'k' };
    const sign = (id: string) => change(store, id, { decision: 'approved', money: 'outstanding', proofText: '{}', track: {} });
    for (const id of ['old', 'new']) insert(store, id, [], call);
    insert(store, 'foreign', [], { callKey: 'k2' });
    const latest = () => store.journal.atomically((tx) => tx.latestOfCall('k'))?.id;
    expect(latest()).toBeUndefined();
    sign('old');
    expect(latest()).toBe('old');
    change(store, 'new', { decision: 'approved', money: 'none' }, true);
    for (const decision of ['denied', 'expired', 'cancelled'] as const) insert(store, decision, [], { ...call, decision, money: 'none' });
    expect(latest()).toBe('old');
    insert(store, 'newest', [], call);
    sign('newest');
    expect(latest()).toBe('newest');
  });

  it('forgets money that may still move, or watches money that cannot', () => {
    const store = openStore();
    for (const id of ['none', 'reserved', 'outstanding', 'settled', 'final', 'dead']) insert(store, id, []);
    change(store, 'none', { money: 'none' }, true);
    for (const id of ['outstanding', 'settled', 'final', 'dead']) change(store, id, signed);
    change(store, 'settled', { money: 'settled' });
    change(store, 'final', { money: 'settled', final: true });
    change(store, 'dead', { money: 'dead' }, true);
    expect(store.journal.unresolved().map(({ id }) => id)).toEqual(['reserved', 'outstanding', 'settled']);
  });

  it('keeps half of a transaction that failed', () => {
    const store = openStore();
    expect(() =>
      store.journal.atomically((tx) => {
        tx.insert(newPayment('p1'), [use(10n)], created);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.journal.get('p1')).toBeUndefined();
    expect(used(store)).toBe(0n);
    expect(store.journal.atomically((tx) => tx.highWater())).toBe(0);
  });

  it('keeps half of a failed write when the caller goes on', () => {
    const store = openStore();
    insert(store, 'p1');
    store.journal.atomically((tx) => {
      expect(() => tx.insert(newPayment('p2'), [use(1n), use(1n)], created)).toThrow(/UNIQUE/);
      expect(() => tx.insert(newPayment('p1'), [use(1n)], created)).toThrow(/UNIQUE/);
    });
    expect(store.journal.get('p2')).toBeUndefined();
    expect(used(store)).toBe(10n);
  });

  it('lets a transaction nest, outlive itself or wait for something', () => {
    const { journal } = openStore();
    const leaked = journal.atomically((tx) => tx);
    expect(() => leaked.insert(newPayment('p1'), [], created)).toThrow(/after its end/);
    expect(() => journal.atomically(() => journal.atomically(() => 1))).toThrow(/inside another/);
    expect(() => journal.atomically(async () => {})).toThrow(/promise/);
    expect(journal.atomically(() => 2)).toBe(2);
  });

  it('frees budget while money may still move, or holds it when it cannot', () => {
    const store = openStore();
    insert(store, 'p1');
    expect(() => change(store, 'p1', signed, true)).toThrow(/with releasing/);
    expect(() => change(store, 'p1', { money: 'none' })).toThrow(/without releasing/);
    expect(used(store)).toBe(10n);
    change(store, 'p1', { money: 'none' }, true);
    expect(used(store)).toBe(0n);
    expect(() => change(store, 'p1', {}, true)).toThrow(/with releasing/);
  });

  it('opens a new budget because the clock was set back', () => {
    const store = openStore();
    insert(store, 'p1');
    const noon = store.clock.at;
    store.clock.at -= 86_400_000;
    insert(store, 'p2');
    expect(store.journal.atomically((tx) => tx.highWater())).toBe(noon);
    expect(() => store.db.exec('UPDATE journal_clock SET high_water = 0')).toThrow(/never goes back/);
  });

  it('loses digits of an amount beyond 2^63', () => {
    const store = openStore();
    const huge = (1n << 255n) + 1n;
    insert(store, 'p1', [use(huge)], { terms: { ...newPayment('p1').terms, amount: baseUnits(huge) } });
    expect(store.journal.get('p1')?.terms?.amount).toBe(huge);
    insert(store, 'p2', [use(3n)]);
    expect(used(store)).toBe(huge + 3n);
  });

  it('says NOT_FOUND for a payment that is not there', () => {
    expect(() => change(openStore(), 'nobody', {})).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

});
