import { expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { base64, fromBase64, http, V2 } from './x402-fixtures.ts';

const SCHEMA = { type: 'object', properties: { required: { type: 'boolean' } } };
const sent = (extensions: object | undefined, proof = '{"signature":"0x11"}') => {
  const challenge = detectChallenge(http(402, { 'PAYMENT-REQUIRED': base64({ ...V2, ...(extensions && { extensions }) }) }))!;
  const { headers } = requireDialect(challenge.dialect).attach(challenge, challenge.offers[0]!, proof);
  return (fromBase64(headers?.['PAYMENT-SIGNATURE']) as { extensions?: Record<string, { info?: { id?: string }; schema?: object }> }).extensions;
};
const offered = { 'payment-identifier': { info: { required: true }, schema: SCHEMA }, other: { info: { a: 1 } } };
const idOf = (extensions: ReturnType<typeof sent>) => extensions?.['payment-identifier']?.info?.id;

test('an offered identifier is not filled in, or spoils what else was offered', () => {
  expect(sent(offered)).toEqual({ 'payment-identifier': { info: { required: true, id: expect.stringMatching(/^[A-Za-z0-9_-]{16,128}$/) as string }, schema: SCHEMA }, other: { info: { a: 1 } } });
});

test('the same payment, sent again, has another identifier, or another payment the same', () => {
  expect(idOf(sent(offered))).toBe(idOf(sent(offered)));
  expect(idOf(sent(offered, '{"signature":"0x12"}'))).not.toBe(idOf(sent(offered)));
});

test('an identifier that the server put in itself is taken for ours', () => {
  expect(idOf(sent({ 'payment-identifier': { info: { id: 'of-the-server-0123456789' } } }))).toMatch(/^pay_/);
});

test.each([
  ['none offered', { other: {} }, { other: {} }],
  ['no extensions', undefined, undefined],
  ['an extension that is no object', { 'payment-identifier': true }, { 'payment-identifier': true }],
])('an identifier is sent where none is wanted: %s', (_name, extensions, echoed) => {
  expect(sent(extensions)).toEqual(echoed);
});

test('an identifier is lost where the extension has no info', () => {
  expect(idOf(sent({ 'payment-identifier': {} }))).toMatch(/^pay_/);
});
