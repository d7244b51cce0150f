import { describe, expect, test } from 'vitest';
import { unsupported } from '../../../../src/core/challenges/unsupported.ts';
import type { Json } from '../../../../src/core/json/json.ts';

const offer = (change: { scheme?: string; paymentFlow?: string; extra?: readonly (readonly [string, Json])[] }) =>
  unsupported({ scheme: 'exact', paymentFlow: 'authorization', ...change, extra: new Map(change.extra ?? []) });

describe('what cannot be paid', () => {
  test.each(['upto', 'auth-capture', 'batch-settlement', 'deferred'])('is paid, or refused without its name: the scheme %s', (scheme) => {
    expect(offer({ scheme })).toContain(`the payment scheme "${scheme}"`);
  });

  test.each([
    ['Permit2', 'permit2', 'Permit2'],
    ['another method', 'erc7710', 'ERC-7710'],
    ['an unknown method', 'wire', '"wire"'],
    ['a method that is no text', 7, '7'],
    ['a method named like a member of every object', 'constructor', '"constructor"'],
  ] as const)('is paid, or refused without its name: %s', (_name, method, words) => {
    expect(offer({ extra: [['assetTransferMethod', method]] })).toContain(`the token moved by ${words}`);
  });

  test.each(['escrow', 'later', 'constructor'])('is paid, or refused without its name: the flow %s', (paymentFlow) => {
    expect(offer({ paymentFlow })).toContain(`the payment flow "${paymentFlow}"`);
  });

  test.each([
    ['an ordinary offer', {}],
    ['a charge before the call, which the owner is asked about', { paymentFlow: 'upfront' }],
    ['EIP-3009 by name', { extra: [['assetTransferMethod', 'eip3009']] as const }],
    ['a scheme that only a rail can judge', { scheme: 'toString' }],
  ])('refuses %s', (_name, change) => {
    expect(offer(change)).toBeUndefined();
  });
});
