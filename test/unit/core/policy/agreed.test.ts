import { describe, expect, test } from 'vitest';
import { beyondAgreed } from '../../../../src/core/policy/pins.ts';
import type { PaidCall } from '../../../../src/core/payments/call.ts';
import { REGISTERED } from '../../../../src/core/registry/assets.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import { challenge, createWorld, offer, PAYEE, served, USDC } from '../../../support/payment-world.ts';

const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const pin = (amount = 10_000n, change: object = {}) => ({ network: 'eip155:84532' as const, asset: USDC, payee: PAYEE, amount: baseUnits(amount), ...change });

describe('what was agreed beforehand', () => {
  test.each<[string, ReturnType<typeof pin>, RegExp | '']>([
    ['the same', pin(), ''],
    ['less', pin(1n), ''],
    ['the same in other letters', pin(10_000n, { asset: USDC.toLowerCase(), payee: PAYEE.toLowerCase() }), ''],
    ['more', pin(10_001n), /approved at 0\.01 USDC, and now asks for 0\.010001 USDC/],
    ['another payee', pin(1n, { payee: OTHER }), /another payee/],
    ['another token', pin(1n, { asset: OTHER }), /another token/],
    ['another network', pin(1n, { network: 'eip155:8453' }), /another token or network/],
  ])('%s is taken for what it is not', (_what, terms, words) => {
    if (words === '') expect(beyondAgreed([pin()], terms, REGISTERED)).toBe('');
    else expect(beyondAgreed([pin()], terms, REGISTERED)).toMatch(words);
  });

  test('one of several prices is forgotten, or two payees lend each other theirs', () => {
    const agreed = [pin(10n), pin(20n), pin(5n, { payee: OTHER })];
    expect(beyondAgreed(agreed, pin(20n), REGISTERED)).toBe('');
    expect(beyondAgreed(agreed, pin(6n, { payee: OTHER }), REGISTERED)).not.toBe('');
    expect(beyondAgreed([], pin(1n), REGISTERED)).not.toBe('');
  });
});

const agreed: NonNullable<PaidCall['agreed']> = { url: 'https://api.example.com/x', prices: [pin()] };

test('I2: a rule lets through what was not agreed, once it was paid with the owner\'s word', async () => {
  const world = createWorld({ policy: { caps: [], otherwise: 'allow' } });
  const dear = { answer: { text: challenge([offer('20000')]) }, agreed };
  const first = world.call([async () => served()], dear);
  await world.decide('approve');
  const answer = await first.outcome;
  if (answer.kind === 'answer') answer.delivered(true);
  world.chain.set('0', { state: 'settled', transaction: '0xfeed', final: true });
  world.call([async () => served()], { ...dear, argumentsText: '{"again":1}' });
  await world.decide('reject');
  expect(world.rows().map(({ decision, rule }) => [decision, rule])).toEqual([['rejected', expect.stringContaining('approved at 0.01 USDC')], ['approved', expect.stringContaining('approved at 0.01 USDC')]]);
});

test('an address that the owner approved counts as news because it stood in a list', async () => {
  const world = createWorld({ policy: { caps: [], otherwise: 'allow' } });
  const seenIn = (reference: string) => (reference.startsWith('https://api.example.com') || reference === PAYEE.toLowerCase() ? 'a result of tool "x402_discover_services" of server "bazaar"' : '');
  const argumentsText = '{"method":"GET","url":"https://api.example.com/x"}';
  const bought = await world.call([async () => served()], { seenIn, agreed, argumentsText }).outcome;
  expect(bought.kind).toBe('answer');
  const { outcome, leave } = world.call([], { seenIn, argumentsText: `${argumentsText} ` , upstream: 'other' });
  await world.decide('reject');
  leave();
  expect(await outcome).toMatchObject({ kind: 'refusal', error: { code: 'APPROVAL_REJECTED' } });
});
