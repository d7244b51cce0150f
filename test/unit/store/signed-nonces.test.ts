import { expect, it } from 'vitest';
import { createSignedNonces } from '../../../src/main/adapters/store/signed-nonces.ts';
import { created, newPayment, openStore } from './fixtures.ts';

it('I1: forgets what was signed under a nonce of the server’s, finds another payer’s, or reads every row for it', () => {
  const { db, journal } = openStore();
  const payer = newPayment('p').terms!.payer;
  for (const [id, dialect] of [['p1', 'mpp'], ['p2', 'mpp-http'], ['p3', 'mpp']] as const) {
    journal.atomically((tx) => {
      tx.insert(newPayment(id, { dialect, terms: { ...newPayment(id).terms!, dialect }, termsDigest: id }), [], created);
      tx.change(id, { decision: 'approved', money: 'outstanding', proofText: '{}', track: { kind: 'eip3009', nonce: id === 'p3' ? '0x02' : '0x01' }, outstandingUntil: 1 }, created);
    });
  }
  journal.atomically((tx) => tx.change('p2', { money: 'dead' }, created, { release: true }));
  const signed = createSignedNonces(db);
  expect(signed(payer, '0x01')).toEqual([{ termsDigest: 'p1', dead: false }, { termsDigest: 'p2', dead: true }]);
  expect(signed(payer, '0x03')).toEqual([]);
  expect(signed('0xother', '0x01')).toEqual([]);
  const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN SELECT 1 FROM payments
    WHERE payer = 'a' AND CASE WHEN json_valid(track) THEN json_extract(track, '$.nonce') END = 'b' AND dialect IN ('mpp', 'mpp-http') AND track IS NOT NULL`).all();
  expect(plan.map(({ detail }) => detail).join()).toContain('payments_server_nonce');
});
