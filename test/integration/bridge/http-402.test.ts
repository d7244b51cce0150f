import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createToolFacts } from '../../../src/core/challenges/tool-facts.ts';
import type { Rail } from '../../../src/core/ports.ts';
import { createInterceptor } from '../../../src/main/bridge/interceptor.ts';
import { createServerWords } from '../../../src/main/bridge/server-words.ts';
import { createWorld, offer, type World } from '../../support/payment-world.ts';
import { startApp, TOKEN, type TestApp } from './fixtures/harness.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

/** A server that asks on the MCP POST itself, with HTTP 402, paid by the real payment core over a real journal; the chain is scripted. */

let app: TestApp | undefined;
let http: RawHttpServer | undefined;
afterEach(async () => {
  await app?.close();
  await http?.close();
});

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(Buffer.from(text, 'base64').toString()));
const V2 = { x402Version: 2, error: 'Payment required', resource: { url: 'mcp://tool/echo' }, accepts: [offer()] };
const { amount, network: _network, ...rest } = offer() as ReturnType<typeof offer> & { amount: string };
const V1 = { x402Version: 1, error: 'X-PAYMENT header is required', accepts: [{ ...rest, network: 'base-sepolia', maxAmountRequired: amount, resource: 'mcp://tool/echo', description: '' }] };
const MPP = { id: 'x7Tg2pLq', realm: 'api.example.com', method: 'evm', intent: 'charge', request: { amount: '10000', currency: V2.accepts[0]!.asset, methodDetails: { chainId: 84532, credentialTypes: ['authorization'], decimals: 6 }, recipient: V2.accepts[0]!.payTo }, expires: '2100-01-01T00:00:00Z' };
const RECEIPT = { success: true, transaction: '0xfeed', network: 'eip155:84532', payer: '0x1' };

interface Seller {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Name of the header in which it looks for the proof, in lower case. */
  readonly proof: string;
  /** True where it leaves the settlement to the client, as servers with split headers do. */
  readonly settledByClient?: boolean;
  /** What the owner's policy says of it. */
  readonly otherwise?: 'allow' | 'deny';
  /** What it answers to a proof. */
  readonly paid?: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
}

const CLIENT_SETTLED: Partial<Rail> = { flow: 'prepay', settlement: 'client', submit: async () => ({ state: 'settled', transaction: '0xfeed', final: true }) };

async function start({ headers = {}, body = {}, proof, settledByClient = false, otherwise = 'allow', paid = { status: 200, headers: { 'PAYMENT-RESPONSE': base64(RECEIPT) } } }: Seller): Promise<{ world: World; proofs: unknown[]; bodies: string[] }> {
  const world = createWorld({ policy: { otherwise }, ...(settledByClient && { rail: CLIENT_SETTLED }) });
  const facts = createToolFacts({ now: () => world.clock.now(), changed: () => {} });
  http = await startRawHttp();
  app = await startApp({ upstreams: [{ name: 'seller', transport: { kind: 'http', url: http.url, headers: {} } }], hook: createInterceptor({ payments: world.payments, words: createServerWords(() => 0), facts, showsCosts: () => true }) });
  const proofs: unknown[] = [];
  const bodies: string[] = [];
  http.intercept = (request: IncomingMessage, text, response) => {
    if (!text.includes('"tools/call"')) return false;
    const value = request.headers[proof];
    if (typeof value !== 'string') {
      response.writeHead(402, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      return true;
    }
    proofs.push(parse(value));
    bodies.push(text);
    const { id } = JSON.parse(text) as { id: unknown };
    const goods = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'goods' }] } });
    response.writeHead(paid.status, { 'content-type': 'application/json', ...paid.headers }).end(paid.body ?? (paid.status === 200 ? goods : '{}'));
    return true;
  };
  return { world, proofs, bodies };
}

async function call(): Promise<{ result?: { isError?: boolean; content: { text: string }[] }; error?: unknown }> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"city":"Berlin"}}}';
  const response = await fetch(app?.url('seller') ?? '', { method: 'POST', headers, body });
  const text = await response.text();
  return JSON.parse(/^data: ?(.*)$/m.exec(text)?.[1] ?? text) as Awaited<ReturnType<typeof call>>;
}

describe('a server that answers HTTP 402 to the POST of a call', () => {
  test.each([
    ['version 2 in the header', { headers: { 'PAYMENT-REQUIRED': base64(V2) }, proof: 'payment-signature' }, 'x402-http'],
    ['version 2 in the body alone', { body: V2, proof: 'payment-signature' }, 'x402-http'],
    ['version 2 under an early name', { headers: { 'X-Payment-Required': base64(V2) }, proof: 'x-payment-signature' }, 'x402-http-prefixed'],
    ['version 1 in the body', { body: V1, proof: 'x-payment' }, 'x402-v1-http'],
    ['split headers', { headers: { 'X-Payment-Amount': '10000', 'X-Payment-Recipient': V2.accepts[0]!.payTo, 'X-Payment-Token': V2.accepts[0]!.asset, 'X-Payment-Network': 'eip155:84532' }, proof: 'x-payment-signature', settledByClient: true }, 'x402-split-headers'],
  ] as const)('is not paid by header and _meta: %s', async (_name, seller, dialect) => {
    const { world, proofs, bodies } = await start(seller);
    const answer = call();
    if ('settledByClient' in seller) {
      // Money that moves before the server answers always asks.
      await expect.poll(() => world.approvals.waiting()).toHaveLength(1);
      await world.decide('approve');
    }
    expect(await answer).toMatchObject({ result: { content: [{ text: 'goods' }] } });
    expect(world.state.signed).toHaveLength(1);
    const { params } = JSON.parse(bodies[0]!) as { params: { arguments: unknown; _meta: Record<string, unknown> } };
    expect(params.arguments).toEqual({ city: 'Berlin' });
    expect(params._meta['x402/payment']).toEqual(proofs[0]);
    expect(proofs[0]).toMatchObject({ payload: { nonce: '0' } });
    expect(world.row()).toMatchObject({ dialect, decision: 'approved', money: 'settledByClient' in seller ? 'settled' : 'outstanding', service: 'delivered' });
    expect(JSON.parse(world.row().receiptText)).toEqual(RECEIPT);
  });

  test('and to terms of MPP in the JSON-RPC error of its body: they count as lost', async () => {
    const { world } = await start({ proof: 'none', otherwise: 'deny', body: { jsonrpc: '2.0', id: 1, error: { code: -32042, message: 'Payment Required', data: { httpStatus: 402, challenges: [MPP] } } } });
    await call();
    expect(world.row()).toMatchObject({ dialect: 'mpp', decision: 'denied', reason: { code: 'POLICY_DENIED' } });
  });

  test('and refuses the payment: is paid twice, or the owner does not learn why', async () => {
    const receipt = { success: false, errorReason: 'insufficient_funds', transaction: '', network: 'eip155:84532' };
    const { world, proofs } = await start({ headers: { 'PAYMENT-REQUIRED': base64(V2) }, proof: 'payment-signature', paid: { status: 402, headers: { 'PAYMENT-RESPONSE': base64(receipt) } } });
    const { result } = await call();
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/"seller".*insufficient_funds.*\(SETTLEMENT_FAILED\)$/s) as string }] });
    expect(proofs).toHaveLength(1);
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'refused', reason: { code: 'SETTLEMENT_FAILED' } });
  });

  test('and then 502: the payment counts as refused, although it may have settled', async () => {
    const { world } = await start({ headers: { 'PAYMENT-REQUIRED': base64(V2) }, proof: 'payment-signature', paid: { status: 502 } });
    expect(JSON.stringify(await call())).toContain('(PAYMENT_OUTCOME_UNKNOWN)');
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'lost', reason: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
  });

  test.each([
    ['without terms', {}, 'TERMS_LOST'],
    ['with terms that cannot be read', { headers: { 'PAYMENT-REQUIRED': JSON.stringify(V2) } }, 'CHALLENGE_MALFORMED'],
    ['for a scheme that is not paid', { body: { ...V2, accepts: [offer('10000', { scheme: 'upto' })] } }, 'NO_PAYABLE_OFFER'],
  ])('%s: leaves no row, or gives the agent no reason', async (_name, seller, code) => {
    const { world } = await start({ ...seller, proof: 'none' });
    expect(JSON.stringify(await call())).toMatch(/server \\"seller\\" for tool \\"echo\\"/);
    expect(world.row()).toMatchObject({ decision: 'denied', money: 'none', reason: { code: code === 'NO_PAYABLE_OFFER' ? expect.stringMatching(/NO_PAYABLE_OFFER|FLOW_UNSUPPORTED/) : code } });
    expect(world.state.signed).toEqual([]);
  });
});
