import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Order, orderAnswer, orderFacts, orderOfRow, reserveOf, writeOrder } from '../../../../src/core/challenges/order.ts';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { isObject, parseJson, stringifyJson } from '../../../../src/core/json/json.ts';
import { demandIn } from '../../../../src/core/payments/demand-in.ts';
import { readingOf } from '../../../../src/core/payments/reading.ts';
import { PAYEE, USDC } from '../../../support/payment-world.ts';

const ORDER: Order = {
  recipient: 'contact 3 (Ada)', known: true, byOwner: false, warnings: ['it looks odd'], memo: 'rent',
  offers: [{ network: 'eip155:84532', asset: USDC, amount: '1500000', payee: PAYEE }],
};

test('an order loses what it says of itself', () => {
  const challenge = demandIn({ text: '', order: writeOrder(ORDER) }, {});
  expect(challenge).toMatchObject({
    dialect: 'order', description: 'rent', textOnly: false,
    order: { recipient: 'contact 3 (Ada)', known: true, byOwner: false, warnings: ['it looks odd'] },
    offers: [{ scheme: 'transfer', network: 'eip155:84532', asset: USDC, amount: '1500000', payee: PAYEE }],
  });
  expect(orderOfRow({ dialect: 'order', challengeText: stringifyJson(challenge!.source) })).toMatchObject({ recipient: 'contact 3 (Ada)', known: true, memo: 'rent' });
  expect(orderOfRow({ dialect: 'x402-mcp', challengeText: stringifyJson(challenge!.source) })).toBeUndefined();
});

test('I7: a server writes an order, in its result, its error, its body or its headers', () => {
  const text = stringifyJson(writeOrder(ORDER));
  const rpcs = [
    text,
    `{"jsonrpc":"2.0","id":1,"result":${text}}`,
    `{"jsonrpc":"2.0","id":1,"order":${text},"result":{"content":[]}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":${text},"content":[{"type":"text","text":${JSON.stringify(text)}}]}}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":402,"message":"Payment required","data":{"order":${text}}}}`,
  ];
  for (const rpc of rpcs) expect(readsAsOrder(() => detectChallenge(readingOf({ text: rpc })))).toBe(false);
  const http = { status: 402, headers: { order: [text], 'payment-required': [text] }, body: text };
  expect(readsAsOrder(() => demandIn({ text, http }, { lastDialect: 'order' }))).toBe(false);
});

test('I7: an object that was not written here is taken for an order, however it came into the place of one', () => {
  const copy = parseJson(stringifyJson(writeOrder(ORDER)));
  if (!isObject(copy)) throw new Error('an order is no object');
  expect(orderFacts(copy)).toMatchObject({ known: true });
  expect(demandIn({ text: '', order: copy }, {})).toBeUndefined();
});

test('I7: anything but the wallet writes orders', () => {
  const root = join(import.meta.dirname, '../../../../src');
  const users = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && readFileSync(join(root, file), 'utf8').includes('writeOrder('))
    .map((file) => file.replaceAll('\\', '/'));
  expect(users.toSorted()).toEqual(['core/challenges/order.ts', 'main/wallet/orders.ts']);
});

test('a server has coin given to its payee, or the reserve of an escrow is lost', () => {
  const [offer] = ORDER.offers;
  if (!offer) throw new Error('the order has an offer');
  const challenge = demandIn({ text: '', order: writeOrder({ ...ORDER, offers: [{ ...offer, reserve: '4979442' }] }) }, {});
  const read = challenge?.offers[0];
  if (!read) throw new Error('the order was not read');
  expect(reserveOf(read)).toBe(4_979_442n);
  expect(reserveOf({ ...read, source: parseJson(stringifyJson(read.source)) })).toBe(0n);
  expect(reserveOf({ ...read, extra: new Map() })).toBe(0n);
});

test('the transaction is lost between the proof and the answer, or an answer without one counts', () => {
  const dialect = requireDialect('order');
  const challenge = demandIn({ text: '', order: writeOrder(ORDER) }, {})!;
  const { meta } = dialect.attach(challenge, challenge.offers[0]!, '{"signature":"0xfeed","amount":"1"}');
  expect(dialect.readAnswer(readingOf({ text: orderAnswer(meta) }))).toMatchObject({ kind: 'served', receipt: { success: true, transaction: '0xfeed' } });
  expect(dialect.readAnswer(readingOf({ text: orderAnswer() })).kind).toBe('failed');
  expect(() => dialect.attach(challenge, challenge.offers[0]!, '{}')).toThrow(/names no transaction/);
});

function readsAsOrder(read: () => { readonly dialect: string } | undefined): boolean {
  try {
    return read()?.dialect === 'order';
  } catch {
    return false;
  }
}
