import { expect, test } from 'vitest';
import { createApprovals, type Answer } from '../../../../src/core/payments/approvals.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitingPayment } from '../../../support/waiting-payment.ts';

function world() {
  const clock = new ManualClock();
  const approvals = createApprovals({ clock, random: (length) => new Uint8Array(length), changed: () => {} });
  const answers = new Map<string, Answer>();
  for (const id of ['a', 'b']) {
    void approvals.ask({ ...waitingPayment({ id, expiresAt: clock.now() + 600_000 }) }, new AbortController().signal).then((answer) => answers.set(id, answer));
  }
  const decide = (id: string, viewer?: string) => {
    const { payment, nonce } = approvals.waiting().find((one) => one.payment.id === id)!;
    approvals.decide({ paymentId: id, termsDigest: payment.termsDigest, nonce, decision: 'approve' }, () => {}, viewer);
  };
  return { clock, approvals, answers, decide };
}
const tooEarly = expect.objectContaining({ code: 'APPROVAL_TOO_EARLY' });

test('one viewer answers by the second of another, or takes it away (I2)', async () => {
  const { clock, approvals, answers, decide } = world();
  approvals.report({ paymentId: 'a', visible: true });
  await clock.advance(1_000);
  approvals.report({ paymentId: 'b', visible: true }, 'terminal 1');
  expect(() => decide('a', 'terminal 1')).toThrow(tooEarly);
  expect(() => decide('b')).toThrow(tooEarly);
  expect(() => decide('b', 'terminal 1')).toThrow(tooEarly);
  decide('a');
  await clock.advance(1_000);
  expect(() => decide('b', 'terminal 2')).toThrow(tooEarly);
  decide('b', 'terminal 1');
  await clock.advance(0);
  expect([...answers]).toEqual([['a', 'approved'], ['b', 'approved']]);
});

test('closing the approval window rejects what a terminal shows, or a hidden one keeps the terminal from answering', async () => {
  const { clock, approvals, answers, decide } = world();
  approvals.setWindowVisible(false);
  expect(approvals.report({ paymentId: 'a', visible: true })).toBeUndefined();
  expect(approvals.report({ paymentId: 'b', visible: true }, 'terminal')).toBe(clock.now() + 1_000);
  await clock.advance(1_000);
  approvals.rejectShown();
  await clock.advance(0);
  expect([...answers]).toEqual([['a', 'rejected']]);
  decide('b', 'terminal');
  await clock.advance(0);
  expect(answers.get('b')).toBe('approved');
});
