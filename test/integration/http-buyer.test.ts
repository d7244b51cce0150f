import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createHttpBuyer, type HttpBuyer, type HttpBuyerPorts } from '../../src/main/http-buyer/http-buyer.ts';
import type { HttpRequest } from '../../src/main/http-buyer/http-request.ts';
import { offer, PAYEE, USDC } from '../support/payment-world.ts';
import { createSigningWorld, type SigningWorld } from '../support/signing-world.ts';

/** Paid HTTP APIs over real sockets, with real signatures. What settles on a chain is the matrix's business. */

interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
type Answer = (exchange: Exchange, response: ServerResponse) => void;

let world: SigningWorld;
beforeEach(async () => {
  world = await createSigningWorld();
});
afterEach(() => world.close());

/** A server on this machine that notes what it was sent. */
async function serve(answer: Answer): Promise<{ origin: string; seen: Exchange[] }> {
  const seen: Exchange[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const exchange = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
      seen.push(exchange);
      answer(exchange, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const buyer = (ports: Partial<HttpBuyerPorts> = {}): HttpBuyer => createHttpBuyer({ payments: world.payments, clock: world.clock, realMoney: false, isOpen: () => true, ...ports });
const buy = (request: HttpRequest, ports: Partial<HttpBuyerPorts> = {}, rest: object = {}) =>
  buyer(ports).buy(request, { client: 'cli', session: 's1', seenIn: () => '', signal: AbortSignal.timeout(10_000), progress: () => {}, ...rest });

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const required = (change: object = {}) => ({ x402Version: 2, error: 'Payment required', resource: { url: 'http://shop/data' }, accepts: [offer('10000', change)] });
const v1 = () => {
  const { amount, ...rest } = offer();
  return { x402Version: 1, error: 'X-PAYMENT header is required', accepts: [{ ...rest, network: 'base-sepolia', maxAmountRequired: amount, resource: 'http://shop/data', description: '', mimeType: '' }] };
};
const receipt = { success: true, transaction: '0xfeed', network: 'eip155:84532' };

/** Every HTTP form of x402: how it asks, where it looks for the proof, and where its receipt stands. */
const FORMS: readonly (readonly [string, (response: ServerResponse) => void, string, string])[] = [
  ['x402-http', (response) => response.writeHead(402, { 'payment-required': base64(required()) }).end('{}'), 'payment-signature', 'payment-response'],
  ['x402-http-prefixed', (response) => response.writeHead(402, { 'x-payment-required': base64(required()) }).end(), 'x-payment-signature', 'x-payment-response'],
  ['x402-http', (response) => response.writeHead(402, { 'content-type': 'application/json' }).end(JSON.stringify(required())), 'payment-signature', 'payment-response'],
  ['x402-v1-http', (response) => response.writeHead(402, { 'content-type': 'application/json' }).end(JSON.stringify(v1())), 'x-payment', 'x-payment-response'],
];

test.each(FORMS)('%s: a paid HTTP API gets no proof, or another payment than was asked', async (dialect, ask, proofHeader, receiptHeader) => {
  const shop = await serve(({ headers }, response) => (headers[proofHeader] === undefined ? ask(response) : response.writeHead(200, { [receiptHeader]: base64(receipt) }).end('the data')));
  const bought = await buy({ url: `${shop.origin}/data?q=1`, method: 'post', headers: { 'X-Api-Key': 'k3y' }, body: Buffer.from('{"a":1}') });
  if (bought.kind !== 'answer') throw new Error(JSON.stringify(bought));
  expect(bought.answer).toMatchObject({ status: 200, body: 'the data', encoding: 'utf8' });
  bought.delivered(true);

  const [first, second, ...more] = shop.seen;
  expect(more).toEqual([]);
  expect([second?.method, second?.url, second?.body.toString(), second?.headers['x-api-key']]).toEqual(['POST', '/data?q=1', '{"a":1}', 'k3y']);
  expect(first?.headers[proofHeader]).toBeUndefined();
  const proof = JSON.parse(Buffer.from(String(second?.headers[proofHeader]), 'base64').toString()) as { payload: { authorization: object } };
  expect(proof.payload.authorization).toMatchObject({ to: PAYEE, value: '10000', from: world.accounts[0]?.address });

  const host = new URL(shop.origin).host;
  expect(world.rows()).toMatchObject([{ id: bought.paymentId, client: 'cli', upstream: host, tool: 'POST /data', dialect, money: 'outstanding', service: 'delivered', terms: { asset: USDC, payee: PAYEE } }]);
  const { argumentsText } = world.rows()[0]!;
  expect(JSON.parse(argumentsText)).toMatchObject({ method: 'POST', url: `${shop.origin}/data?q=1`, body: '{"a":1}' });
  expect(argumentsText).not.toContain('k3y');
});

test('a free answer, or a binary one, is changed on its way', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
  const shop = await serve(({ url }, response) => (url === '/zip' ? response.writeHead(200, { 'content-encoding': 'gzip', 'x-one': ['a', 'b'] }).end(gzipSync('plain')) : response.end(bytes)));
  expect(await buy({ url: `${shop.origin}/bytes` })).toMatchObject({ kind: 'answer', paymentId: '', answer: { status: 200, body: bytes.toString('base64'), encoding: 'base64' } });
  const zipped = await buy({ url: `${shop.origin}/zip` });
  expect(zipped).toMatchObject({ answer: { body: 'plain', encoding: 'utf8', headers: { 'x-one': 'a, b' } } });
  expect(zipped.kind === 'answer' && zipped.answer.headers['content-encoding']).toBeUndefined();
  expect(world.rows()).toEqual([]);
});

test('I1: a paid binary answer is lost when its buyer has gone, and bought again', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe]);
  const shop = await serve(({ headers }, response) => (headers['payment-signature'] === undefined ? FORMS[0]![1](response) : response.writeHead(200, { 'payment-response': base64(receipt) }).end(bytes)));
  const first = await buy({ url: shop.origin });
  if (first.kind !== 'answer') throw new Error(first.kind);
  first.delivered(false);
  const again = await buy({ url: shop.origin });
  expect(again).toMatchObject({ kind: 'answer', paymentId: first.paymentId, answer: { body: bytes.toString('base64'), encoding: 'base64' } });
  expect([shop.seen.length, world.signatures]).toEqual([3, 1]);
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('I2: HTTP %i is followed, with the proof or without', async (status) => {
    const other = await serve((_exchange, response) => response.end('stolen'));
    const shop = await serve(({ headers }, response) =>
      headers['payment-signature'] === undefined && status > 302 ? FORMS[0]![1](response) : response.writeHead(status, { location: `${other.origin}/away` }).end(),
    );
    const bought = await buy({ url: shop.origin });
    expect(bought).toMatchObject({ kind: 'answer', answer: { status, headers: { location: `${other.origin}/away` } } });
    expect(other.seen).toEqual([]);
  });
});

describe('what leads to this machine or a private network', () => {
  const closed = { isOpen: () => false };

  test.each(['http://127.0.0.1:1/', 'http://2130706433/', 'http://0x7f.1/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:a00:1]/', 'http://[::ffff:0:7f00:1]/', 'http://127.0.0.1./', 'http://10.0.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/latest', 'http://100.64.0.1/', 'http://0.0.0.0/', 'http://[fe80::1]/', 'http://[fd00::1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/'])(
    'I7: %s is sent to',
    async (url) => {
      await expect(buy({ url }, closed)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    },
  );

  test('I7: a name that leads there is sent to', async () => {
    const shop = await serve((_exchange, response) => response.end('inside'));
    const { port } = new URL(shop.origin);
    await expect(buy({ url: `http://localhost:${port}/` }, closed)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    const mixed = async () => [{ address: '93.184.216.34', family: 4 }, { address: '127.0.0.1', family: 4 }];
    await expect(buy({ url: `http://shop.example:${port}/` }, { ...closed, resolve: mixed })).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(shop.seen).toEqual([]);
  });

  test('I7: a host that was closed since it asked for money gets the proof', async () => {
    const shop = await serve((_exchange, response) => FORMS[0]![1](response));
    const { port } = new URL(shop.origin);
    let asked = 0;
    const bought = await buy({ url: `http://shop.example:${port}/` }, { isOpen: () => asked++ === 0, resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    expect(bought).toMatchObject({ kind: 'refusal', error: { message: expect.stringContaining('private network') } });
    expect(shop.seen.map(({ headers }) => headers['payment-signature'])).toEqual([undefined]);
  });

  test('a host that the owner opened is refused', async () => {
    const shop = await serve((_exchange, response) => response.end('inside'));
    expect(await buy({ url: shop.origin }, { isOpen: ({ host }) => host === new URL(shop.origin).host })).toMatchObject({ kind: 'answer', answer: { body: 'inside' } });
  });

  test('I7: real money goes over a line that anybody can read', async () => {
    await expect(buy({ url: 'http://shop.example/' }, { ...closed, realMoney: true })).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN', message: expect.stringContaining('https') });
  });
});

test.each<[string, HttpRequest, RegExp]>([
  ['another scheme', { url: 'ftp://shop.example/' }, /https/],
  ['a file', { url: 'file:///etc/passwd' }, /https/],
  ['no URL', { url: 'shop' }, /cannot be read/],
  ['a password in the URL', { url: 'https://me:secret@shop.example/' }, /user name or password/],
  ['a method that is none', { url: 'https://shop.example/', method: 'CONNECT' }, /none of GET/],
  ['a body on GET', { url: 'https://shop.example/', body: Buffer.from('x') }, /no body/],
  ['a line break in a header', { url: 'https://shop.example/', headers: { a: 'b\r\nx-payment: 1' } }, /"a" cannot be sent/],
  ['a proof of its own', { url: 'https://shop.example/', headers: { 'X-Payment': 'x' } }, /only Bursar/],
  ['a proof of its own in Authorization', { url: 'https://shop.example/', headers: { Authorization: 'Payment abc' } }, /only Bursar/],
  ['another host', { url: 'https://shop.example/', headers: { Host: 'other' } }, /belongs to the connection/],
  ['too many headers', { url: 'https://shop.example/', headers: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`h${index}`, '1'])) }, /more than 50/],
])('a request with %s is sent', async (_name, request, why) => {
  await expect(buy(request)).rejects.toMatchObject({ code: 'INPUT_INVALID', message: expect.stringMatching(why) });
});

test('an endless answer fills the memory, and a silent or broken server has no reason', async () => {
  const shop = await serve(({ url }, response) => {
    if (url === '/endless') {
      const more = () => {
        while (response.writable && response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    } else if (url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(30 * 1024 * 1024)));
    else if (url === '/headers') response.writeHead(200, Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`h${index}`, '1']))).end();
    else if (url === '/other') response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    else response.destroy();
  });
  await expect(buy({ url: `${shop.origin}/other` })).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE', context: { reason: 'ECONNRESET' } });
  await expect(buy({ url: `${shop.origin}/endless` })).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  await expect(buy({ url: `${shop.origin}/bomb` })).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  await expect(buy({ url: `${shop.origin}/headers` })).rejects.toMatchObject({ code: 'UPSTREAM_REFUSED' });
  await expect(buy({ url: `${shop.origin}/gone` })).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: expect.stringContaining('127.0.0.1') });
});

test('a call costs more than it may', async () => {
  const shop = await serve((_exchange, response) => FORMS[0]![1](response));
  const limit = { amount: '0.0099', unit: 'tokens' };
  expect(await buy({ url: shop.origin }, {}, { limit })).toMatchObject({ kind: 'refusal', error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('at most 0.0099 USDC') } });
  expect(world.signatures).toBe(0);
});

test('I9: a 402 without terms passes as an answer, or leaves no row', async () => {
  const shop = await serve((_exchange, response) => response.writeHead(402).end('Payment required'));
  expect(await buy({ url: shop.origin })).toMatchObject({ kind: 'refusal', error: { code: 'TERMS_LOST' } });
  expect(world.rows()).toMatchObject([{ decision: 'denied', service: 'refused' }]);
});
