import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import type { FacilitatorClient } from '../../../src/sandbox/seller/payment/facilitator-client.ts';
import { offerOn } from '../../../src/sandbox/seller/payment/offers.ts';
import { withPayment, type ToolHandler } from '../../../src/sandbox/seller/payment/with-payment.ts';

const offer = offerOn(EVM_NETWORK, 10_000n, { payTo: { evm: '0x01', solana: '' }, maxTimeoutSeconds: 60, solanaFeePayer: '' });
const resource = { url: 'mcp://tool/test', description: 'a test', mimeType: 'application/json' };
const unexpected = () => Promise.reject(new Error('not expected to be called'));
const context = (meta: object | undefined) => ({ mcpReq: { _meta: meta } }) as unknown as ServerContext;
const paid = (payment: object) => context({ 'x402/payment': payment });
const PAYMENT = { x402Version: 2, accepted: { ...offer }, payload: { signature: '0x' } };

const seller = (facilitator: Partial<FacilitatorClient>, handler: ToolHandler<object>) =>
  withPayment({ resource, accepts: async () => [offer], facilitator: { supported: unexpected, verify: unexpected, settle: unexpected, ...facilitator } }, handler);
const errorOf = (result: CallToolResult) => (result.structuredContent as { error: string }).error;

test('a tool that fails is not charged, whether it says so or throws', async () => {
  const verify = async () => ({ isValid: true });
  const failing = seller({ verify }, () => ({ isError: true, content: [{ type: 'text', text: 'no such star' }] }));
  expect(await failing({}, paid(PAYMENT))).toEqual({ isError: true, content: [{ type: 'text', text: 'no such star' }] });
  const throwing = seller({ verify }, () => Promise.reject(new Error('boom')));
  await expect(throwing({}, paid(PAYMENT))).rejects.toThrow('boom');
});

test('the answer leaves only after the money was settled', async () => {
  const order: string[] = [];
  const receipt = { success: true, transaction: '0xab', network: EVM_NETWORK };
  const buy = seller(
    { verify: async () => (order.push('verify'), { isValid: true }), settle: async () => (order.push('settle'), receipt) },
    () => (order.push('run'), { content: [], _meta: { kept: 1 } }),
  );
  expect(await buy({}, paid(PAYMENT))).toEqual({ content: [], _meta: { kept: 1, 'x402/payment-response': receipt } });
  expect(order).toEqual(['verify', 'run', 'settle']);
});

test('the answer is withheld when the settlement fails', async () => {
  const settle = async () => ({ success: false, errorReason: 'settlement_pending', transaction: '0xab', network: EVM_NETWORK });
  const result = await seller({ verify: async () => ({ isValid: true }), settle }, () => ({ content: [{ type: 'text', text: 'the answer' }] }))({}, paid(PAYMENT));
  expect(errorOf(result)).toBe('Payment settlement failed: settlement_pending');
  expect(JSON.stringify(result)).not.toContain('the answer');
});

test.each([
  ['base64 text', 'eyJ4IjoxfQ=='],
  ['version 1', { ...PAYMENT, x402Version: 1 }],
  ['no payload', { x402Version: 2, accepted: offer }],
  ['null', null],
])('a payment in a form that is not x402 version 2 (%s) is refused before anyone is asked', async (_form, payment) => {
  const result = await seller({}, unexpected)({}, context({ 'x402/payment': payment }));
  expect(errorOf(result)).toBe('Payment invalid: it is not an x402 version 2 payment');
});

test.each([
  ['amount', { amount: '1' }],
  ['payTo', { payTo: '0x02' }],
  ['extra', { extra: { name: 'USD Coin', version: '2' } }],
  ['an added key', { note: 'x' }],
])('accepted terms with another %s are refused before anyone is asked', async (_what, change) => {
  const result = await seller({}, unexpected)({}, paid({ ...PAYMENT, accepted: { ...offer, ...change } }));
  expect(errorOf(result)).toBe('Payment invalid: the accepted terms are not among those offered');
});
