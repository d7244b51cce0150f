import { expect, test } from 'vitest';
import { columnTexts, connectTexts, statusTexts, verdictTexts } from '../../../../src/renderer/texts/dashboard.ts';
import { credentialTexts, scopeTexts } from '../../../../src/renderer/texts/clients.ts';
import { approvalTexts } from '../../../../src/renderer/texts/approval.ts';
import { decisionWords, moneyWords, refusalHint, statusWords } from '../../../../src/renderer/texts/payment-words.ts';
import { dialectName } from '../../../../src/renderer/texts/ways-to-pay.ts';
import { DIALECTS } from '../../../../src/core/challenges/registry.ts';
import { environmentTexts } from '../../../../src/renderer/texts/common.ts';
import { Environment } from '../../../../src/shared/contract/app.ts';
import { ApprovalView } from '../../../../src/shared/contract/approvals.ts';
import { SCOPES } from '../../../../src/shared/access/scopes.ts';
import { CredentialKind } from '../../../../src/shared/contract/client-access.ts';
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

const settled = { decision: 'approved', money: 'settled', service: 'delivered' } as const;
const denied = { decision: 'denied', money: 'none', service: 'open' } as const;

test('a card’s money that is said to move on a chain', () => {
  for (const status of PaymentStatus.options) expect(statusWords({ status, flow: 'hold', columns: settled, reasonCode: '' }).note).not.toMatch(/chain/);
  expect(statusWords({ status: 'confirming', flow: 'hold', columns: settled, reasonCode: '' }).label).toBe('Held');
  expect(moneyWords({ columns: { decision: 'approved', money: 'settled', service: 'delivered' }, flow: 'hold' })).toBe('Charged');
  expect(statusWords({ status: 'confirming', flow: 'prepay', columns: settled, reasonCode: '' })).toBe(statusTexts.confirming);
});

test('a refusal of Bursar’s own is said to be the owner’s policy', () => {
  const told = (reasonCode: string) => ({ status: 'denied', columns: denied, reasonCode }) as const;
  for (const code of ['ASSET_MISMATCH', 'NO_PAYABLE_OFFER', 'INSUFFICIENT_BALANCE', 'ACCOUNT_MISSING', 'NETWORK_UNSUPPORTED', 'PROTOCOL_UNSUPPORTED']) {
    expect(decisionWords(told(code))).toBe('Refused by Bursar');
    expect(statusWords(told(code)).note).not.toMatch(/rules|limits|policy/);
    expect(refusalHint(told(code))).not.toBe('');
  }
  for (const code of ['BUDGET_EXCEEDED', 'POLICY_DENIED', 'PRICE_UNKNOWN', 'PAYMENTS_PAUSED', 'SCOPE_MISSING']) {
    expect(decisionWords(told(code))).toBe('Denied by your rules');
    expect(refusalHint(told(code))).toBe('');
  }
  expect(refusalHint(told('ASSET_MISMATCH'))).toMatch(/lookalike/);
});

test('a test signature is said to move money', () => {
  const money = { units: '10000', asset: { network: 'dev:mpx', networkName: 'Shared development secret', address: 'usdc', symbol: 'USDC', decimals: 6 } };
  expect(moneyWords({ columns: settled, flow: 'authorize', money })).toBe('Test signature, no money moves');
  for (const status of ['delivered', 'confirming', 'not-charged', 'undelivered', 'unknown'] as const) {
    expect(statusWords({ status, flow: 'authorize', money, columns: settled, reasonCode: '' }).note).toMatch(/[Nn]o money/);
  }
});

test('a dialect stands on a page by its id', () => {
  for (const { id } of DIALECTS) expect(dialectName(id)).not.toBe(id);
});

test('every value of the contract that a page names has words', () => {
  expect(Object.keys(columnTexts.decision).toSorted()).toEqual([...Decision.options].toSorted());
  expect(Object.keys(columnTexts.money).toSorted()).toEqual([...MoneyState.options].toSorted());
  expect(Object.keys(columnTexts.service).toSorted()).toEqual([...Service.options].toSorted());
  expect(Object.keys(verdictTexts).toSorted()).toEqual([...Verdict.options, 'inherit'].toSorted());
  expect(Object.keys(environmentTexts).toSorted()).toEqual([...Environment.options].toSorted());
  expect(Object.keys(connectTexts.states).toSorted()).toEqual([...ClientRegistration.shape.state.options].toSorted());
  expect(Object.keys(scopeTexts).toSorted()).toEqual([...SCOPES].toSorted());
  expect(Object.keys(credentialTexts).toSorted()).toEqual([...CredentialKind.options].toSorted());
  expect(Object.keys(approvalTexts.flow).toSorted()).toEqual([...ApprovalView.shape.flow.options].toSorted());
});
