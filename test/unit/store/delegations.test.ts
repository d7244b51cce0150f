import { describe, expect, it } from 'vitest';
import { createDelegationStore, type NewDelegation } from '../../../src/main/adapters/store/delegations.ts';
import { createRequestStore } from '../../../src/main/adapters/store/requests.ts';
import { openStore } from './fixtures.ts';

const clock = { now: () => 1 };
const delegation = (act: string, change: Partial<NewDelegation> = {}): NewDelegation => ({
  act,
  kind: 'approve',
  network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  asset: 'mint',
  owner: 'owner',
  delegate: 'agent',
  amount: 2n ** 64n - 1n,
  replacedDelegate: '',
  replacedAmount: 0n,
  wire: 'AQ==',
  track: { kind: 'transfer-svm', signature: 's' },
  transaction: 's',
  ...change,
});
const params = { amount: '1', network: 'n', asset: 'a', owner: 'o', delegate: 'd', reason: 'why' };

describe('the rows of delegations', () => {
  it.each([
    [`UPDATE delegations SET amount = '1'`, /never changes/],
    [`UPDATE delegations SET delegate = 'thief'`, /never changes/],
    [`UPDATE delegations SET wire = 'AA=='`, /never changes/],
    [`UPDATE delegations SET state = 'maybe'`, /CHECK/],
    [`DELETE FROM delegations`, /never deleted/],
    [`UPDATE delegations SET state = 'final'; UPDATE delegations SET state = 'signed'`, /cannot move that way/],
    [`UPDATE delegations SET state = 'dead'; UPDATE delegations SET state = 'confirmed'`, /cannot move that way/],
    [`INSERT INTO delegations SELECT 9, act, kind, network, asset, owner, delegate, amount, replaced_delegate, replaced_amount, wire, track, tx, state, why, created_at, updated_at FROM delegations`, /UNIQUE/],
  ])('accept %s', (sql, why) => {
    const { db } = openStore();
    createDelegationStore(db, clock).add(delegation('a1'));
    expect(() => db.exec(sql)).toThrow(why);
  });

  it('I1: are made twice for one act, or lose what was signed', () => {
    const store = createDelegationStore(openStore().db, clock);
    const added = store.add(delegation('a1'));
    expect(added).toMatchObject({ ...delegation('a1'), state: 'signed', why: '' });
    expect(() => store.add(delegation('a1', { wire: 'AA==' }))).toThrow(/UNIQUE/);
    expect(store.open()).toEqual([added]);
  });

  it('that are dead count as the newest approval, or what is final as open', () => {
    const store = createDelegationStore(openStore().db, clock);
    for (const act of ['a1', 'a2']) store.add(delegation(act));
    store.move('a1', 'final', '');
    store.move('a2', 'dead', 'expired');
    expect(store.lastLanded(delegation('a1'))).toMatchObject({ act: 'a1' });
    expect(store.open()).toEqual([]);
    expect(store.list(1)).toMatchObject([{ act: 'a2', why: 'expired' }]);
  });
});

describe('the rows of requests', () => {
  const open = () => {
    const { db } = openStore();
    const store = createRequestStore(db);
    store.add({ id: 'req_1', client: 'claude', kind: 'approve', params, createdAt: 1, expiresAt: 10 });
    return { db, store };
  };

  it.each([
    [`UPDATE requests SET params = '{}'`, /never changes/],
    [`UPDATE requests SET client = 'other'`, /never changes/],
    [`UPDATE requests SET expires_at = 99`, /never changes/],
    [`UPDATE requests SET state = 'rejected'; UPDATE requests SET state = 'approved'`, /decided once/],
    [`UPDATE requests SET state = 'maybe'`, /CHECK/],
  ])('accept %s', (sql, why) => {
    expect(() => open().db.exec(sql)).toThrow(why);
  });

  it('are told of twice, after a request of another client, or kept for ever', () => {
    const { store } = open();
    expect(store.newest('claude', 'approve', { ...params, reason: 'another' })).toMatchObject({ id: 'req_1' });
    expect(store.newest('other', 'approve', params)).toBeUndefined();
    expect([store.expire(9), store.expire(10), store.expire(10)]).toEqual([0, 1, 0]);
    const news = store.untold('claude', 'approve');
    expect(news).toMatchObject({ id: 'req_1', state: 'expired' });
    store.tell(news!);
    expect(store.untold('claude', 'approve')).toBeUndefined();
    store.forget(11);
    expect(store.list(10)).toEqual([]);
  });
});
