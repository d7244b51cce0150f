import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { mpx } from '../../../src/sandbox/seller/dialects/mpx.ts';
import { officialV2 } from '../../../src/sandbox/seller/dialects/x402-mcp.ts';
import type { Call, Reply } from '../../../src/sandbox/seller/payment/call.ts';
import type { SellingDialect } from '../../../src/sandbox/seller/payment/dialect.ts';
import type { PaymentEvent } from '../../../src/sandbox/seller/payment/events.ts';
import type { PaymentRail, Settlement } from '../../../src/sandbox/seller/payment/rail.ts';
import { exactSpendingKey, redactExact } from '../../../src/sandbox/seller/payment/rails/exact.ts';
import { openPaymentStore, type PaymentStore } from '../../../src/sandbox/seller/payment/store.ts';
import { withPayment, type Handler, type Sale } from '../../../src/sandbox/seller/payment/with-payment.ts';

const terms = { scheme: 'exact', network: EVM_NETWORK, amount: '10000', payTo: '0x01', extra: { name: 'USDC', version: '2' } };
const PAYMENT = { x402Version: 2, accepted: terms, payload: { signature: '0xsecret', authorization: { from: '0xA', nonce: '0xB' } } };
const RECEIPT = { success: true, transaction: '0xab', network: EVM_NETWORK };
const unexpected = () => Promise.reject(new Error('not expected to be called'));
const goods: Reply = { kind: 'result', result: { content: [{ type: 'text', text: 'the goods' }], _meta: { kept: 1 } } };
const deliver: Handler = () => goods;

let folder: string;
let store: PaymentStore;
let now: number;
let events: PaymentEvent[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bursar-store-'));
  store = openPaymentStore(join(folder, 'seller.sqlite'));
  now = 1_000_000;
  events = [];
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const rail = (verify: PaymentRail['verify']): PaymentRail => ({
  id: 'exact-evm-v2',
  offer: async () => ({ rail: 'exact-evm-v2', network: EVM_NETWORK, payTo: '0x01', terms }),
  verify,
  coerce: (raw) => (typeof raw['signature'] === 'string' ? { signature: raw['signature'] } : undefined),
  spendingKey: exactSpendingKey,
  retryText: () => 'Pay.',
  redact: redactExact,
});
const valid: PaymentRail['verify'] = async () => ({ valid: true, payer: '0xA' });

interface Options {
  readonly verify?: PaymentRail['verify'];
  readonly settle?: Settlement;
  readonly verifyOnly?: boolean;
  readonly dialect?: SellingDialect;
  readonly sale?: Partial<Sale>;
}
const seller = ({ verify = valid, settle = async () => RECEIPT, verifyOnly = false, dialect = officialV2, sale = {} }: Options, handler: Handler = deliver) =>
  withPayment(
    { store, settle, log: (event) => events.push(event), challengeTtlMs: 60_000, leaseMs: 30_000, verifyOnly, now: () => now },
    {
      product: { name: 'test', url: 'mcp://tool/test', description: 'a test', mimeType: 'application/json' },
      dialect,
      rails: [rail(verify)],
      price: () => ({ units: 10_000n, decimals: 6, currency: 'USDC' }),
      enabled: true,
      ...sale,
    },
    handler,
  );
const call = (meta: Call['meta'] = {}, args: Call['args'] = {}): Call => ({ args, meta, headers: {} });
const paid = (payment: unknown = PAYMENT, args: Call['args'] = {}) => call({ 'x402/payment': payment }, args);
const resultOf = (reply: Reply) => (reply.kind === 'result' ? (reply.result as { isError?: boolean; structuredContent?: { error: string }; content: { text: string }[]; _meta?: Record<string, unknown> }) : undefined);
const errorOf = (reply: Reply) => resultOf(reply)?.structuredContent?.error;

test('a tool that fails is not charged, whether it says so or throws', async () => {
  const failure: Reply = { kind: 'result', result: { isError: true, content: [{ type: 'text', text: 'no such star' }] } };
  expect(await seller({ settle: unexpected }, () => failure)(paid())).toEqual(failure);
  await expect(seller({ settle: unexpected }, () => Promise.reject(new Error('boom')))(paid())).rejects.toThrow('boom');
  expect(resultOf(await seller({})(paid()))?.content[0]?.text).toBe('the goods');
});

test('the answer leaves only after the money was settled', async () => {
  const order: string[] = [];
  const buy = seller({ verify: async () => (order.push('verify'), { valid: true, payer: '0xA' }), settle: async () => (order.push('settle'), RECEIPT) }, () => (order.push('run'), goods));
  expect(await buy(paid())).toEqual({ kind: 'result', result: { content: [{ type: 'text', text: 'the goods' }], _meta: { kept: 1, 'x402/payment-response': RECEIPT } } });
  expect(order).toEqual(['verify', 'run', 'settle']);
});

test('the answer is withheld when the settlement fails or nobody knows', async () => {
  const pending = await seller({ settle: async () => ({ success: false, errorReason: 'settlement_pending', transaction: '0xab', network: EVM_NETWORK }) })(paid());
  expect(errorOf(pending)).toBe('Payment settlement failed: settlement_pending');
  const lost = await seller({ settle: () => Promise.reject(new Error('no answer')) })(paid());
  expect(errorOf(lost)).toContain('Payment settlement failed: ');
  expect(JSON.stringify([pending, lost])).not.toContain('the goods');
});

test.each([
  ['base64 text', 'eyJ4IjoxfQ=='],
  ['version 1', { ...PAYMENT, x402Version: 1 }],
  ['no payload', { x402Version: 2, accepted: terms }],
  ['null', null],
])('a payment in a form that is not x402 version 2 (%s) is refused before anyone is asked', async (_form, payment) => {
  expect(errorOf(await seller({ verify: unexpected }, unexpected)(paid(payment)))).toBe('Payment invalid: it is not an x402 version 2 payment');
});

test.each([
  ['amount', { amount: '1' }],
  ['payTo', { payTo: '0x02' }],
  ['extra', { extra: { name: 'USD Coin', version: '2' } }],
  ['an added key', { note: 'x' }],
])('accepted terms with another %s are refused before anyone is asked', async (_what, change) => {
  const reply = await seller({ verify: unexpected }, unexpected)(paid({ ...PAYMENT, accepted: { ...terms, ...change } }));
  expect(errorOf(reply)).toBe('Payment invalid: the accepted terms are not among those offered');
});

describe('a proof that was used', () => {
  test('buys nothing a second time, also after a restart of the seller', async () => {
    await seller({})(paid());
    store.close();
    store = openPaymentStore(join(folder, 'seller.sqlite'));
    expect(errorOf(await seller({ verify: unexpected }, unexpected)(paid()))).toBe('Payment invalid: it was used already');
    expect(events.at(-1)).toMatchObject({ type: 'challenge_issued' });
    expect(events.some(({ type }) => type === 'replay_refused')).toBe(true);
  });

  test('by two calls at once is settled for one of them', async () => {
    let settlements = 0;
    const gate = Promise.withResolvers<void>();
    const buy = seller({ settle: async () => ((settlements += 1), await gate.promise, RECEIPT) });
    const both = [buy(paid()), buy(paid())];
    const second = await both[1]!;
    gate.resolve();
    expect(errorOf(second)).toBe('Payment invalid: it is being used by another call');
    expect(resultOf(await both[0]!)?.content[0]?.text).toBe('the goods');
    expect(settlements).toBe(1);
  });

  test('by a seller that died in between is free again when its hold ends', async () => {
    void seller({ settle: () => new Promise(() => {}) })(paid());
    await Promise.resolve();
    expect(errorOf(await seller({})(paid()))).toBe('Payment invalid: it is being used by another call');
    now += 30_001;
    expect(resultOf(await seller({})(paid()))?.content[0]?.text).toBe('the goods');
  });
});

describe('a stored challenge', () => {
  const meta = (reply: Reply) => resultOf(reply)?._meta?.['mpx/v1.challenge'] as { paymentRequestId: string };
  const authorization = (paymentRequestId: string, nonce = '0xB') => ({
    mpxVersion: 1,
    paymentRequestId,
    rail: 'exact-evm-v2',
    payload: { ...PAYMENT, payload: { authorization: { from: '0xA', nonce } } },
  });
  const authorized = (id: string, args: Call['args'] = {}, nonce?: string) => call({ 'mpx/v1.authorization': authorization(id, nonce) }, args);
  const text = (reply: Reply) => resultOf(reply)?.content[0]?.text;

  test('pays for its own call once: not for other arguments, not after it expired, not again', async () => {
    const buy = seller({ dialect: mpx });
    const { paymentRequestId } = meta(await buy(call({}, { star: 'Vega' })));
    expect(text(await buy(authorized(paymentRequestId, { star: 'Deneb' })))).toBe('payment_error: the challenge is for another call');
    expect(text(await buy(authorized(paymentRequestId, { star: 'Vega' })))).toBe('the goods');
    expect(text(await buy(authorized(paymentRequestId, { star: 'Vega' }, '0xC')))).toBe('payment_error: it was used already');
    const late = meta(await buy(call()));
    now += 60_001;
    expect(text(await buy(authorized(late.paymentRequestId)))).toBe('payment_error: the challenge expired');
    expect(text(await buy(authorized('no such id')))).toBe('payment_error: there is no such challenge');
  });

  test('survives a restart of the seller, and is open again after a failure of the tool', async () => {
    const { paymentRequestId } = meta(await seller({ dialect: mpx })(call()));
    await expect(seller({ dialect: mpx, settle: unexpected }, () => Promise.reject(new Error('boom')))(authorized(paymentRequestId))).rejects.toThrow('boom');
    store.close();
    store = openPaymentStore(join(folder, 'seller.sqlite'));
    const bought = await seller({ dialect: mpx })(authorized(paymentRequestId));
    expect(text(bought)).toBe('the goods');
    expect(resultOf(bought)?._meta?.['mpx/v1.receipt']).toMatchObject({ paymentRequestId, settlementRef: '0xab', amount: { value: '0.01', currency: 'USDC', decimals: 6 } });
  });

  test('can be paid by an argument, which the tool does not see, also in loose form', async () => {
    const seen: unknown[] = [];
    const buy = seller({ dialect: mpx }, (args) => (seen.push(args), goods));
    const first = meta(await buy(call({}, { star: 'Vega' })));
    await buy(call({}, { star: 'Vega', payment_authorization: JSON.stringify(authorization(first.paymentRequestId)) }));
    const second = meta(await buy(call({}, { star: 'Vega' })));
    await buy(call({}, { star: 'Vega', payment_authorization: { paymentRequestId: second.paymentRequestId, signature: 'ab' } }));
    expect(seen).toEqual([{ star: 'Vega' }, { star: 'Vega' }]);
  });
});

test('verify-only takes no money and says so in its receipt', async () => {
  const reply = await seller({ verifyOnly: true, settle: unexpected })(paid());
  expect(resultOf(reply)?._meta?.['x402/payment-response']).toMatchObject({ success: false, transaction: '', payer: '0xA' });
  expect(resultOf(reply)?.content[0]?.text).toBe('the goods');
});

test('a requirement that is switched off, and a call that costs nothing, are served without looking at a payment', async () => {
  expect(await seller({ verify: unexpected, sale: { enabled: false } })(paid())).toEqual(goods);
  expect(await seller({ verify: unexpected, sale: { price: () => undefined } })(call())).toEqual(goods);
});

test('a wallet that buys too often within a minute has to wait, and keeps its payment', async () => {
  const buy = seller({ sale: { salesPerMinute: 1 } });
  const next = { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { from: '0xA', nonce: '0xC' } } };
  await buy(paid());
  expect(errorOf(await buy(paid(next)))).toContain('this wallet bought 1 times within a minute');
  now += 60_001;
  expect(resultOf(await buy(paid(next)))?.content[0]?.text).toBe('the goods');
});

test('events tell the whole sale and show no signature', async () => {
  const buy = seller({});
  await buy(call());
  await buy(paid());
  expect(events.map(({ type }) => type)).toEqual(['challenge_issued', 'payment_received', 'verify_started', 'verify_succeeded', 'settled']);
  expect(JSON.stringify(events)).not.toContain('0xsecret');
});
