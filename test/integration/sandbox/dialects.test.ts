import { createHmac } from 'node:crypto';
import { encodePacked, keccak256 } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVM_NETWORK, SOLANA_NETWORK, type SandboxNetwork } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createBuyer, httpLink, stdioLink, type Buyer, type Challenge, type RpcResponse, type Send } from './buyer.ts';

const PLACE = { latitude: 51.5, longitude: -0.13, date: '2026-06-21' };
const INSTANT = { instant: '2026-06-21T12:00:00Z' };
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const fromBase64 = (text: string | null): unknown => JSON.parse(Buffer.from(text ?? '', 'base64').toString('utf8'));

let sandbox: Sandbox;
let buyer: Buyer;
let stdio: Awaited<ReturnType<typeof stdioLink>>;

beforeAll(async () => {
  sandbox = await startSandbox({ slotMs: 50 });
  stdio = await stdioLink(sandbox.seller.stdio);
});
afterAll(async () => {
  await stdio?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  buyer = await createBuyer(sandbox);
  await sandbox.fund({ network: EVM_NETWORK, address: buyer.addresses[EVM_NETWORK], usdc: 1_000_000n });
  await sandbox.fund({ network: SOLANA_NETWORK, address: buyer.addresses[SOLANA_NETWORK], usdc: 1_000_000n, gas: true });
});

const spent = async (network: SandboxNetwork) => 1_000_000n - (await sandbox.balance(network, buyer.addresses[network]));
const linkTo = (transport: 'http' | 'stdio'): Send => (transport === 'http' ? httpLink(sandbox.seller.mcpUrl) : stdio.send);
const call = (send: Send, name: string, args: object, meta?: object) => send({ method: 'tools/call', params: { name, arguments: args, ...(meta && { _meta: meta }) } });
const dataOf = ({ error }: RpcResponse): unknown => error?.data;
const textOf = ({ result }: RpcResponse): string => result?.content[0]?.text ?? '';

/** How the x402 dialects over MCP are read and paid. */
const X402: Readonly<Record<string, { tool: string; args: object; version: 1 | 2; read: (answer: RpcResponse) => unknown; pay: (payment: object) => object; receipt?: string }>> = {
  'official v1': { tool: 'day_length', args: PLACE, version: 1, read: ({ result }) => result?.structuredContent, pay: (payment) => ({ 'x402/payment': payment }) },
  'JSON-RPC 402': { tool: 'solar_noon', args: PLACE, version: 1, read: ({ error }) => (error?.code === 402 ? error.data : undefined), pay: (payment) => ({ 'x402/payment': payment }) },
  'JSON-RPC -32042': { tool: 'twilight', args: PLACE, version: 2, read: ({ error }) => (error?.code === -32042 ? error.data : undefined), pay: (payment) => ({ 'x402/payment': payment }) },
  'text only': {
    tool: 'moon_distance',
    args: INSTANT,
    version: 2,
    read: (answer) => (answer.result?.structuredContent ? undefined : (JSON.parse(textOf(answer)) as { 'x402/error': { data: unknown } })['x402/error'].data),
    pay: (payment) => ({ 'x402/payment': payment }),
  },
  Cloudflare: { tool: 'julian_date', args: INSTANT, version: 1, read: ({ result }) => result?._meta?.['x402/error'], pay: (payment) => ({ 'x402/payment': base64(payment) }) },
  Vercel: { tool: 'sidereal_time', args: { ...INSTANT, longitude: 0 }, version: 1, read: ({ result }) => result?.structuredContent, pay: (payment) => ({ 'x402.payment': base64(payment) }), receipt: 'x402.payment-response' },
  PayMCP: {
    tool: 'sun_position',
    args: { latitude: 51.5, longitude: 0, ...INSTANT },
    version: 2,
    read: ({ result }) => (result as { error?: { code: number; data: unknown } } | undefined)?.error?.data,
    pay: (payment) => ({ 'x402/payment': payment }),
    receipt: 'none',
  },
};

describe.each(Object.entries(X402))('x402 in the form of %s', (_name, { tool, args, version, read, pay, receipt = 'x402/payment-response' }) => {
  test.each([
    ['http', EVM_NETWORK, 0],
    ['http', SOLANA_NETWORK, 1],
    ['stdio', EVM_NETWORK, 0],
  ] as const)('over %s on %s is sold for its price, once', async (transport, network, index) => {
    const send = linkTo(transport);
    const challenge = read(await call(send, tool, args)) as Challenge;
    expect(challenge).toMatchObject({ x402Version: version });
    const payment = version === 2 ? await buyer.pay(challenge, challenge.accepts[index]) : await buyer.payV1(challenge.accepts[index]!);
    const bought = await call(send, tool, args, pay(payment));
    expect(bought.result?.structuredContent, JSON.stringify(bought)).toBeDefined();
    expect(bought.result?.isError).toBeUndefined();
    if (receipt !== 'none') expect(bought.result?._meta?.[receipt]).toMatchObject({ success: true });
    const again = await call(send, tool, args, pay(payment));
    expect(again.result?.structuredContent?.['date'] ?? again.result?.structuredContent?.['instant']).toBeUndefined();
    expect(await spent(network)).toBe(10_000n);
  });
});

describe('a transfer that is sent before the call', () => {
  const ask = async (send: Send) => (await call(send, 'seasons', { year: 2026 })).error as { code: number; data: { paymentRequirements: { price: { amount: string }; recipient: string } } };
  const proof = (signature: string, change: object = {}) => ({ signature, timestamp: new Date().toISOString(), amount: '10000', from: buyer.addresses[SOLANA_NETWORK], ...change });
  const buy = (send: Send, payment: object) => call(send, 'seasons', { year: 2026, _payment: payment });

  test.each(['http', 'stdio'] as const)('buys over %s, and the same transaction buys nothing more', async (transport) => {
    const send = linkTo(transport);
    const { code, data } = await ask(send);
    expect([code, data.paymentRequirements.price.amount]).toEqual([-32001, '10000']);
    const signature = await buyer.send(data.paymentRequirements.recipient, 10_000n);
    expect((await buy(send, proof(signature))).result?.structuredContent).toMatchObject({ year: 2026, juneSolstice: '2026-06-21T08:26Z' });
    expect((await buy(send, proof(signature))).error).toMatchObject({ code: -32002, data: { reason: 'it was used already' } });
    expect(await spent(SOLANA_NETWORK)).toBe(10_000n);
  });

  test('is refused where it is too small, to somebody else, from somebody else, or not there', async () => {
    const send = linkTo('http');
    const { recipient } = (await ask(send)).data.paymentRequirements;
    const small = await buyer.send(recipient, 9_999n);
    const stranger = await createBuyer(sandbox);
    await sandbox.fund({ network: SOLANA_NETWORK, address: stranger.addresses[SOLANA_NETWORK], usdc: 0n });
    const astray = await buyer.send(stranger.addresses[SOLANA_NETWORK], 10_000n);
    const right = await buyer.send(recipient, 10_000n);
    const proofs = [
      proof(small),
      proof(astray),
      proof(right, { from: stranger.addresses[SOLANA_NETWORK] }),
      proof(right, { amount: '1' }),
      proof('5'.repeat(88)),
      { signature: right },
    ];
    const reasons: string[] = [];
    for (const payment of proofs) reasons.push((dataOf(await buy(send, payment)) as { reason: string }).reason);
    expect(reasons).toEqual([
      'the payee got 9999 and 10000 is asked',
      'the payee got 0 and 10000 is asked',
      'the money did not come from the payer that is named',
      '1 was paid and 10000 is asked',
      'the transaction is not on the chain',
      'the payment needs signature, timestamp, amount and from',
    ]);
  });
});

describe('MPX', () => {
  interface Mpx {
    readonly paymentRequestId: string;
    readonly accepts: readonly { readonly rail: string; readonly payTo: string; readonly requirements: Record<string, unknown> }[];
  }
  const ask = async (send: Send, tool: string, args: object) => (await call(send, tool, args)).result?._meta?.['mpx/v1.challenge'] as Mpx;
  const authorization = ({ paymentRequestId, accepts }: Mpx, payload: object) => ({ mpxVersion: 1, paymentRequestId, rail: accepts[0]!.rail, payload });
  const receiptOf = ({ result }: RpcResponse) => result?._meta?.['mpx/v1.receipt'];

  test.each(['http', 'stdio'] as const)('by dev-signature over %s, in _meta or in an argument, each challenge once', async (transport) => {
    const send = linkTo(transport);
    const sign = ({ payTo, requirements: { amount, currency, decimals } }: Mpx['accepts'][0]) => ({
      signature: createHmac('sha256', sandbox.seller.devSecret).update(JSON.stringify({ rail: 'dev-signature', payTo, amount, currency, decimals })).digest('hex'),
    });
    const first = await ask(send, 'easter_date', { year: 2026 });
    const paid = authorization(first, sign(first.accepts[0]!));
    const bought = await call(send, 'easter_date', { year: 2026 }, { 'mpx/v1.authorization': paid });
    expect(bought.result?.structuredContent).toEqual({ year: 2026, date: '2026-04-05' });
    expect(receiptOf(bought)).toMatchObject({ paymentRequestId: first.paymentRequestId, rail: 'dev-signature', amount: { value: '0.01', currency: 'USDC', decimals: 6 } });
    expect(textOf(await call(send, 'easter_date', { year: 2026 }, { 'mpx/v1.authorization': paid }))).toBe('payment_error: it was used already');
    const second = await ask(send, 'easter_date', { year: 2027 });
    const byArgument = await call(send, 'easter_date', { year: 2027, payment_authorization: JSON.stringify(authorization(second, sign(second.accepts[0]!))) });
    expect(byArgument.result?.structuredContent).toEqual({ year: 2027, date: '2027-03-28' });
  });

  test('by dev-signature with another secret is refused, and the challenge stays open', async () => {
    const send = linkTo('http');
    const challenge = await ask(send, 'easter_date', { year: 2026 });
    const forged = authorization(challenge, { signature: 'ab'.repeat(32) });
    expect(textOf(await call(send, 'easter_date', { year: 2026 }, { 'mpx/v1.authorization': forged }))).toBe('payment_error: the signature does not fit the terms');
  });

  test('by x402-evm-exact', async () => {
    const send = linkTo('stdio');
    const challenge = await ask(send, 'sun_calendar', PLACE);
    const { chainId, ...offer } = challenge.accepts[0]!.requirements;
    expect(chainId).toBe(84532);
    const bought = await call(send, 'sun_calendar', PLACE, { 'mpx/v1.authorization': authorization(challenge, await buyer.payV1(offer)) });
    expect(bought.result?.structuredContent?.['days']).toHaveLength(7);
    expect(receiptOf(bought)).toMatchObject({ rail: 'x402-evm-exact', settlementRef: expect.stringMatching(/^0x/) });
    expect(await spent(EVM_NETWORK)).toBe(20_000n);
  });

  test('by stripe-card holds the money first and captures it with the answer', async () => {
    const send = linkTo('http');
    const before = sandbox.captured();
    const args = { year: 2026, month: 2 };
    const challenge = await ask(send, 'moon_calendar', args);
    const { paymentIntentId, clientSecret, publishableKey, amount } = challenge.accepts[0]!.requirements as Record<string, string>;
    expect(amount).toBe(50);
    const confirm = (card: string) =>
      fetch(`${sandbox.card.url}/v1/payment_intents/${paymentIntentId}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${publishableKey}` },
        body: new URLSearchParams({ client_secret: clientSecret!, payment_method: card }),
      });
    const pay = () => call(send, 'moon_calendar', args, { 'mpx/v1.authorization': authorization(challenge, { paymentIntentId }) });
    expect((await confirm('pm_card_chargeDeclined')).status).toBe(402);
    expect(textOf(await pay())).toBe('payment_error: the payment intent is requires_payment_method');
    expect((await confirm('pm_card_visa')).status).toBe(200);
    expect(sandbox.captured()).toBe(before);
    expect((await pay()).result?.structuredContent?.['days']).toHaveLength(28);
    expect(sandbox.captured()).toBe(before + 50);
  });
});

interface MppChallenge {
  readonly id: string;
  readonly realm: string;
  readonly expires: string;
  readonly request: { readonly amount: string; readonly recipient: string };
}
async function payMpp({ id, realm, expires, request }: MppChallenge) {
  const from = buyer.addresses[EVM_NETWORK];
  const authorization = {
    from,
    to: request.recipient,
    value: request.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.parse(expires) / 1000)),
    nonce: keccak256(encodePacked(['string'], [id + realm])),
  };
  return { type: 'authorization', ...authorization, signature: await buyer.authorize(authorization) };
}

describe('the Machine Payments Protocol', () => {
  test.each(['http', 'stdio'] as const)('over MCP by %s binds the authorization to its challenge and settles it', async (transport) => {
    const send = linkTo(transport);
    expect((await call(send, 'iso_week', {})).result?.isError, 'today is free').toBeUndefined();
    const ask = async () => (dataOf(await call(send, 'iso_week', { date: '2026-01-01' })) as { challenges: MppChallenge[] }).challenges[0]!;
    const [challenge, other] = [await ask(), await ask()];
    const payload = await payMpp(challenge);
    const astray = await call(send, 'iso_week', { date: '2026-01-01' }, { 'org.paymentauth/credential': { challenge: other, payload } });
    expect(astray.error).toMatchObject({ code: -32043, message: 'Payment invalid: the nonce does not belong to this challenge' });
    const bought = await call(send, 'iso_week', { date: '2026-01-01' }, { 'org.paymentauth/credential': { challenge, payload } });
    expect(bought.result?.structuredContent).toEqual({ date: '2026-01-01', year: 2026, week: 1, weekday: 4 });
    expect(bought.result?._meta?.['org.paymentauth/receipt']).toMatchObject({ status: 'success', challengeId: challenge.id });
    expect((await call(send, 'iso_week', { date: '2026-01-01' }, { 'org.paymentauth/credential': { challenge, payload } })).error?.code).toBe(-32043);
    expect(await spent(EVM_NETWORK)).toBe(10_000n);
  });

  test('over HTTP', async () => {
    const url = `${sandbox.seller.apiUrl}/mpp/iso_week?date=2026-01-01`;
    const asked = await fetch(url);
    expect(asked.status).toBe(402);
    const words = Object.fromEntries([...(asked.headers.get('www-authenticate') ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]));
    const request = JSON.parse(Buffer.from(words['request']!, 'base64url').toString('utf8')) as MppChallenge['request'];
    const credential = { challenge: words, payload: await payMpp({ id: words['id']!, realm: words['realm']!, expires: words['expires']!, request }) };
    const authorization = `Payment ${Buffer.from(JSON.stringify(credential)).toString('base64url')}`;
    const bought = await fetch(url, { headers: { authorization } });
    expect(await bought.json()).toMatchObject({ week: 1 });
    expect(bought.headers.get('payment-receipt')).not.toBeNull();
    expect(await spent(EVM_NETWORK)).toBe(10_000n);
  });
});

describe('the paid HTTP API', () => {
  const HEADERS = {
    'x402-v2': { required: 'payment-required', payment: 'payment-signature', response: 'payment-response', version: 2 },
    'x402-v2-body': { required: 'body', payment: 'payment-signature', response: 'payment-response', version: 2 },
    'x402-v1': { required: 'body', payment: 'x-payment', response: 'x-payment-response', version: 1 },
    'x402-x-names': { required: 'x-payment-required', payment: 'x-payment-signature', response: 'x-payment-response', version: 2 },
  } as const;
  test.each(Object.entries(HEADERS))('sells in %s on both chains, once for each payment', async (path, { required, payment, response, version }) => {
    for (const [index, network] of [EVM_NETWORK, SOLANA_NETWORK].entries()) {
      const url = `${sandbox.seller.apiUrl}/${path}/day_length?${new URLSearchParams({ latitude: '51.5', longitude: '0', date: '2026-06-21' })}`;
      const asked = await fetch(url);
      expect(asked.status).toBe(402);
      const challenge = (required === 'body' ? await asked.json() : fromBase64(asked.headers.get(required))) as Challenge;
      const proof = version === 2 ? await buyer.pay(challenge, challenge.accepts[index]) : await buyer.payV1(challenge.accepts[index]!);
      const bought = await fetch(url, { headers: { [payment]: base64(proof) } });
      expect(await bought.json()).toMatchObject({ date: '2026-06-21', minutes: expect.any(Number) });
      expect(fromBase64(bought.headers.get(response))).toMatchObject({ success: true });
      expect((await fetch(url, { headers: { [payment]: base64(proof) } })).status).toBe(402);
      expect(await spent(network as SandboxNetwork)).toBe(10_000n);
    }
  });

  test.each([EVM_NETWORK, SOLANA_NETWORK] as const)('sells by separate headers on %s to a buyer that had the payment settled, and to one that had not', async (network) => {
    const url = `${sandbox.seller.apiUrl}/x402-split/day_length?${new URLSearchParams({ latitude: '51.5', longitude: '0', date: '2026-06-21', networks: network })}`;
    const { headers } = await fetch(url);
    const extra = network === EVM_NETWORK ? { name: 'USDC', version: '2' } : { feePayer: await feePayer() };
    const offer = {
      scheme: 'exact',
      network: headers.get('x-payment-network')!,
      amount: headers.get('x-payment-amount')!,
      asset: headers.get('x-payment-token')!,
      payTo: headers.get('x-payment-recipient')!,
      maxTimeoutSeconds: 60,
      extra,
    };
    const challenge = { x402Version: 2, error: '', resource: { url }, accepts: [offer] };
    const [early, late] = [await buyer.pay(challenge), await buyer.pay(challenge)];
    const settled = await fetch(`${sandbox.facilitatorUrl}/settle`, { method: 'POST', body: JSON.stringify({ x402Version: 2, paymentPayload: early, paymentRequirements: offer }) });
    expect(await settled.json()).toMatchObject({ success: true });
    for (const payment of [early, late]) {
      const bought = await fetch(url, { headers: { 'x-payment-signature': base64(payment) } });
      expect(bought.status, JSON.stringify(fromBase64(bought.headers.get('x-payment-response') ?? 'e30='))).toBe(200);
      expect((await fetch(url, { headers: { 'x-payment-signature': base64(payment) } })).status).toBe(402);
    }
    expect(await spent(network)).toBe(20_000n);
  });

  test('lists itself, names bad input without asking for money, and answers an unknown path', async () => {
    const { paths } = (await (await fetch(sandbox.seller.apiUrl)).json()) as { paths: string[] };
    expect(paths).toContain('/x402-v1/day_length');
    expect((await fetch(`${sandbox.seller.apiUrl}/x402-v2/day_length?latitude=91&longitude=0&date=2026-06-21`)).status).toBe(400);
    expect((await fetch(`${sandbox.seller.apiUrl}/x402-v3/day_length`)).status).toBe(404);
  });
});

const feePayer = async (): Promise<string> => {
  const { kinds } = (await (await fetch(`${sandbox.facilitatorUrl}/supported`)).json()) as { kinds: { network: string; extra?: { feePayer?: string } }[] };
  return kinds.find(({ network }) => network === SOLANA_NETWORK)?.extra?.feePayer ?? '';
};

test('HTTP status 402 on the POST of an MCP message is paid in the header or in _meta, and has no stdio form', async () => {
  const post = (meta?: object, headers: Record<string, string> = {}) =>
    fetch(sandbox.seller.mcpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'unix_time', arguments: INSTANT, ...(meta && { _meta: meta }) } }),
    });
  const asked = await post();
  expect(asked.status).toBe(402);
  const challenge = fromBase64(asked.headers.get('payment-required')) as Challenge;
  const byHeader = await post(undefined, { 'payment-signature': base64(await buyer.pay(challenge)) });
  expect(await byHeader.json()).toMatchObject({ id: 7, result: { structuredContent: { seconds: 1782043200 } } });
  expect(fromBase64(byHeader.headers.get('payment-response'))).toMatchObject({ success: true });
  expect(((await (await post({ 'x402/payment': await buyer.pay(challenge) })).json()) as RpcResponse).result?.isError).toBeUndefined();
  expect(await spent(EVM_NETWORK)).toBe(20_000n);
  const { result } = await stdio.send({ method: 'tools/list' });
  expect(result?.tools?.some(({ name }) => name === 'unix_time')).toBe(false);
});

test('prices stand in tools/list where a dialect says them', async () => {
  const { result } = await linkTo('http')({ method: 'tools/list' });
  const tools = result?.tools as unknown as { name: string; payment?: object; _meta?: object; annotations: object; inputSchema: { properties: object } }[];
  const entry = (name: string) => tools.find((tool) => tool.name === name)!;
  expect(entry('seasons').payment).toMatchObject({ required: true, price: 0.01, currency: 'USDC', recipient: sandbox.seller.payTo.solana });
  expect(entry('seasons').inputSchema.properties).toHaveProperty('_payment');
  expect(entry('julian_date')).toMatchObject({ _meta: { 'agents-x402/priceUSD': 0.01 }, annotations: { paymentPriceUSD: '0.01' } });
  expect(entry('easter_date').inputSchema.properties).toHaveProperty('payment_authorization');
});
