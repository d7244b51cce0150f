import { expect, test } from 'vitest';
import { asQuoted, EMPTY_DRAFT, missingIn, requestOf, totalOf } from '../../../../src/renderer/dashboard/pages/send/send-draft.ts';
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
