import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { PaymentEvent } from '../../../src/sandbox/seller/payment/events.ts';
import { callTool, challengeOf, createBuyer, httpLink, receiptOf, type Send } from './buyer.ts';

const PLACE = { latitude: 51.5, longitude: -0.13, date: '2026-06-21' };
const events: PaymentEvent[] = [];
let sandbox: Sandbox;
let send: Send;

beforeAll(async () => {
  sandbox = await startSandbox({ verifyOnly: true, free: ['day_length'], challengeTtlMs: 0, paymentLog: (event) => events.push(event) });
  send = httpLink(sandbox.seller.mcpUrl);
});
afterAll(() => sandbox?.close());

test('verify-only serves a good payment without collecting it, and says so; a bad one buys nothing', async () => {
  const buyer = await createBuyer(sandbox);
  const address = buyer.addresses[EVM_NETWORK];
  await sandbox.fund({ network: EVM_NETWORK, address, usdc: 10_000n });
  const challenge = challengeOf(await callTool(send, 'sun_times', PLACE));
  const payment = await buyer.pay(challenge);
  const bought = await callTool(send, 'sun_times', PLACE, payment);
  expect(bought.structuredContent).toMatchObject({ date: PLACE.date });
  expect(receiptOf(bought)).toMatchObject({ success: false, transaction: '', payer: address });
  expect(await sandbox.balance(EVM_NETWORK, address)).toBe(10_000n);
  const forged = { ...payment, payload: { ...payment.payload, signature: `0x${'11'.repeat(65)}` } };
  expect(challengeOf(await callTool(send, 'sun_times', PLACE, forged)).error).toMatch(/^Payment invalid: /);
  const signature = payment.payload['signature'] as string;
  expect(events.map(({ type }) => type)).toContain('verified_only');
  expect(JSON.stringify(events)).not.toContain(signature);
});

test('a tool whose requirement is switched off asks for nothing', async () => {
  expect((await callTool(send, 'day_length', PLACE)).structuredContent).toMatchObject({ date: PLACE.date });
});

test('a challenge that expired is paid in vain by nobody: it is refused before the proof is looked at', async () => {
  const asked = await callTool(send, 'easter_date', { year: 2026 });
  const challenge = asked._meta?.['mpx/v1.challenge'] as { paymentRequestId: string } | undefined;
  const authorization = { mpxVersion: 1, paymentRequestId: challenge?.paymentRequestId, rail: 'dev-signature', payload: { signature: '00'.repeat(32) } };
  const late = await callTool(send, 'easter_date', { year: 2026, payment_authorization: JSON.stringify(authorization) });
  expect(late.content[0]?.text).toBe('payment_error: the challenge expired');
});
