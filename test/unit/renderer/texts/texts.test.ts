import { expect, test } from 'vitest';
import { columnTexts, connectTexts, statusTexts, verdictTexts } from '../../../../src/renderer/texts/dashboard.ts';
import { approvalTexts } from '../../../../src/renderer/texts/approval.ts';
import { moneyWords, statusWords } from '../../../../src/renderer/texts/payment-words.ts';
import { environmentTexts } from '../../../../src/renderer/texts/common.ts';
import { Environment } from '../../../../src/shared/contract/app.ts';
import { ApprovalView } from '../../../../src/shared/contract/approvals.ts';
import { ClientRegistration } from '../../../../src/shared/contract/clients.ts';
import { Decision, MoneyState, PaymentStatus, Service } from '../../../../src/shared/contract/payments.ts';
import { Verdict } from '../../../../src/shared/policy/policy.ts';

test('every status of a payment has a name of its own and a meaning', () => {
  for (const status of PaymentStatus.options) {
    expect(statusTexts[status].label).not.toBe('');
    expect(statusTexts[status].note).not.toBe('');
  }
  expect(new Set(PaymentStatus.options.map((status) => statusTexts[status].label)).size).toBe(PaymentStatus.options.length);
});

test('a card’s money that is said to move on a chain', () => {
  for (const status of PaymentStatus.options) expect(statusWords({ status, flow: 'hold' }).note).not.toMatch(/chain/);
  expect(statusWords({ status: 'confirming', flow: 'hold' }).label).toBe('Held');
  expect(moneyWords({ columns: { decision: 'approved', money: 'settled', service: 'delivered' }, flow: 'hold' })).toBe('Charged');
  expect(statusWords({ status: 'confirming', flow: 'prepay' })).toBe(statusTexts.confirming);
});

test('every value of the contract that a page names has words', () => {
  expect(Object.keys(columnTexts.decision).toSorted()).toEqual([...Decision.options].toSorted());
  expect(Object.keys(columnTexts.money).toSorted()).toEqual([...MoneyState.options].toSorted());
  expect(Object.keys(columnTexts.service).toSorted()).toEqual([...Service.options].toSorted());
  expect(Object.keys(verdictTexts).toSorted()).toEqual([...Verdict.options, 'inherit'].toSorted());
  expect(Object.keys(environmentTexts).toSorted()).toEqual([...Environment.options].toSorted());
  expect(Object.keys(connectTexts.states).toSorted()).toEqual([...ClientRegistration.shape.state.options].toSorted());
  expect(Object.keys(approvalTexts.flow).toSorted()).toEqual([...ApprovalView.shape.flow.options].toSorted());
});
