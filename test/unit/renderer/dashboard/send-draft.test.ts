import { expect, test } from 'vitest';
import { asQuoted, doneByLink, EMPTY_DRAFT, linkRequestOf, missingIn, requestOf, totalOf } from '../../../../src/renderer/dashboard/pages/send/send-draft.ts';
import type { SendQuote } from '../../../../src/shared/contract/sends.ts';

const coin = { network: 'eip155:1', networkName: 'Ethereum', address: '0xE', symbol: 'ETH', decimals: 18 };
const usdc = { ...coin, address: '0xU', symbol: 'USDC', decimals: 6 };
const quote: SendQuote = { recipient: '', paymentType: 'direct', payee: '0xP', money: { asset: coin, units: '9007199254740993' }, fees: [{ asset: coin, units: '2' }, { asset: usdc, units: '5' }], payer: '0xF', payerLabel: '', warnings: [], others: [] };

test('a fee in the same token is left out of the total, added to another one, or rounded', () => {
  expect(totalOf(quote)).toEqual([{ asset: coin, units: '9007199254740995' }, { asset: usdc, units: '5' }]);
});

test('something is sent from another account or on another network than was looked at', () => {
  const request = requestOf({ ...EMPTY_DRAFT, contact: '3', amount: ' 1.50 ' });
  expect(request).toEqual({ to: { contact: 3 }, amount: '1.50', token: 'USDC', memo: '' });
  expect(asQuoted(request, quote)).toEqual({ ...request, network: 'eip155:1', from: '0xF' });
});

test('main is asked with a field that is missing, or for the contact where an address was meant', () => {
  expect(missingIn(EMPTY_DRAFT)).toEqual(['contact', 'amount']);
  expect(missingIn({ ...EMPTY_DRAFT, kind: 'address', contact: '3', amount: '1,5' })).toEqual(['address', 'amount']);
  expect(requestOf({ ...EMPTY_DRAFT, kind: 'address', contact: '3', address: ' 0xP ', amount: '1' }).to).toEqual({ address: '0xP' });
});

test('money for an e-mail address goes to the contact that was chosen before, or a text message to a mail server', () => {
  const draft = { ...EMPTY_DRAFT, contact: '3', email: ' ada@example.org ', phone: ' +49 30 123456 ', amount: '1', memo: ' lunch ' };
  expect(linkRequestOf(draft)).toBeUndefined();
  expect(linkRequestOf({ ...draft, kind: 'email' })).toEqual({ kind: 'email', to: 'ada@example.org', amount: '1', token: 'USDC', memo: 'lunch' });
  expect(linkRequestOf({ ...draft, kind: 'phone', network: 'eip155:1' })).toEqual({ kind: 'sms', to: '+49 30 123456', amount: '1', token: 'USDC', memo: 'lunch', network: 'eip155:1' });
  expect(missingIn({ ...draft, kind: 'phone', phone: ' ' })).toEqual(['phone']);
});

test('an owner believes that somebody was told who was not', () => {
  const escrow = { id: 'esc_1', state: 'funded', kind: 'email', recipient: 'ada@example.org', recipientName: 'Ada', memo: '', money: quote.money, address: '0xA', paymentId: 'pay_1', transaction: '', delivery: 'none', deliveryError: '', createdAt: 1, expiresAt: 2 } as const;
  const sent = { paymentId: 'pay_1', transaction: '0xT', escrow };
  expect(doneByLink(sent)).toMatchObject({ told: false, recipient: 'Ada, ada@example.org', payee: '0xA', paymentType: 'escrow', escrowId: 'esc_1', transaction: '0xT' });
  expect(doneByLink({ ...sent, escrow: { ...escrow, state: 'notified', delivery: 'sent' } }).told).toBe(true);
});
