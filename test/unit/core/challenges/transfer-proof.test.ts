import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectChallenge, mayAskForMoney } from '../../../../src/core/challenges/registry.ts';
import { transferProof } from '../../../../src/core/challenges/transfer-proof.ts';
import { errorText, onlyTyped, result, rpcError } from './readings.ts';

const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const RECIPIENT = 'BuXm6nD1tWAHwB18AitXdCkYA5Yu3QKoPxJp2Rn7VjGt';
const REQUIREMENTS = { price: { amount: '10000', asset: { address: MINT } }, recipient: RECIPIENT, description: 'Order pizza from the carousel', currency: 'USDC', network: 'solana-devnet' };
const LISTED = { required: true, price: 0.01, currency: 'USDC', description: 'Order pizza', recipient: RECIPIENT, asset: { address: MINT }, network: 'solana-devnet' };
const asked = (change: object = {}) => rpcError(-32001, 'Payment required for this tool', { paymentRequirements: { ...REQUIREMENTS, ...change } });
const OFFER = { scheme: 'transfer', network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', asset: MINT, amount: '10000', payee: RECIPIENT };

describe('detection', () => {
  test('misreads the challenge of the specification', () => {
    expect(mayAskForMoney('{"error":{"code":-32001}}')).toBe(true);
    expect(detectChallenge(asked())).toMatchObject({ dialect: 'transfer-proof', textOnly: false, description: REQUIREMENTS.description, offers: [OFFER] });
  });

  test.each([
    ['an error without data', rpcError(-32001, 'Payment required for this tool', undefined, { listing: { payment: LISTED } })],
    ['a flattened error', errorText('MCP error -32001: Payment required for this tool', { listing: { payment: LISTED } })],
    ['a plain error that an SDK made a text of', errorText('Payment required for this tool', { listing: { payment: LISTED } })],
    ['a listed price in base units', errorText('Payment required', { listing: { payment: { ...LISTED, price: REQUIREMENTS.price, asset: undefined } } })],
    ['a listed price as a string', errorText('Payment required', { listing: { payment: { ...LISTED, price: '0.01' } } })],
  ])('misses %s although the price is listed', (_name, message) => {
    expect(detectChallenge(message)).toMatchObject({ offers: [OFFER] });
  });

  test.each([
    ['the SDK\'s timeout', rpcError(-32001, 'Request timed out', { timeout: 60_000 }, { listing: { payment: LISTED } })],
    ['a lost session', rpcError(-32001, 'Session not found', undefined, { listing: { payment: LISTED } })],
    ['a flattened timeout', errorText('MCP error -32001: Request timed out', { listing: { payment: LISTED } })],
    ['a tool error that speaks of payment', errorText('The invoice says: payment required', { listing: { payment: LISTED } })],
    ['a failure that begins like a demand', errorText('Payment required: the invoice of 2019 was never paid, says the page', { listing: { payment: LISTED } })],
    ['a page that begins like a demand', errorText('Payment required for this tool\nis what the page says', { listing: { payment: LISTED } })],
    ['another code', rpcError(-32603, 'Payment required', { paymentRequirements: REQUIREMENTS }, { listing: { payment: LISTED } })],
    ['a flattened error of another code', errorText('MCP error -32603: Payment required', { listing: { payment: LISTED } })],
    ['a result that is no error', result({ content: [{ type: 'text', text: 'Payment required' }] }, { listing: { payment: LISTED } })],
    ['a demand without terms', errorText('MCP error -32001: Payment required for this tool')],
    ['a demand for a tool that is listed as free', errorText('Payment required', { listing: { payment: { ...LISTED, required: false } } })],
  ])('takes %s for a payment request', (_name, message) => {
    expect(transferProof.detect(message)).toBeUndefined();
  });

  test('I3: a demand in a text of the tool is paid without asking, as one in an error of the protocol may be', () => {
    const listing = { listing: { payment: LISTED } };
    expect(detectChallenge(errorText('MCP error -32001: Payment required for this tool', listing))).toMatchObject({ textOnly: true });
    expect(detectChallenge(errorText('Payment required', listing))).toMatchObject({ textOnly: true });
    expect(detectChallenge(rpcError(-32001, 'Payment required for this tool', undefined, listing))).toMatchObject({ textOnly: false });
  });

  test('assumes a network although the mint is known on one alone, or assumes one for a mint that is not', () => {
    expect(detectChallenge(asked({ network: undefined }))).toMatchObject({ offers: [OFFER] });
    expect(() => detectChallenge(asked({ network: undefined, price: { amount: '1', asset: { address: RECIPIENT } } }))).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  });

  test.each([
    ['no mint', asked({ price: { amount: '10000' } })],
    ['a listed price without mint', errorText('Payment required', { listing: { payment: { ...LISTED, asset: undefined } } })],
    ['no recipient', asked({ recipient: undefined })],
    ['a recipient of another chain', asked({ recipient: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' })],
    ['an unknown network', asked({ network: 'solana-testnet' })],
    ['a network of another kind', asked({ network: 'base-sepolia' })],
    ['a decimal in a challenge', asked({ price: 0.01 })],
    ['a number of base units', asked({ price: { amount: 10000, asset: { address: MINT } } })],
    ['a negative amount', asked({ price: { amount: '-1', asset: { address: MINT } } })],
    ['an amount of nothing', asked({ price: { amount: '0', asset: { address: MINT } } })],
    ['a listed price with an exponent', errorText('Payment required', { listing: { payment: { ...LISTED, price: 1e-7 } } })],
    ['a listed price below the token\'s smallest unit', errorText('Payment required', { listing: { payment: { ...LISTED, price: '0.0000001' } } })],
    ['another symbol than the token has', asked({ currency: 'USDT' })],
  ])('accepts %s', (_name, message) => {
    expect(() => detectChallenge(message)).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  });

  test('throws an untyped error on mutated requirements', () => {
    const change = fc.dictionary(fc.constantFrom(...Object.keys(REQUIREMENTS), 'asset', 'required'), fc.oneof(fc.jsonValue(), fc.constantFrom(MINT, '1e999', 'solana', { amount: '9'.repeat(90), asset: { address: MINT } })));
    onlyTyped(change, (members) => detectChallenge(asked(members)));
    onlyTyped(change, (members) => detectChallenge(errorText('Payment required', { listing: { payment: { ...LISTED, ...members } } })));
  });
});

describe('the proof', () => {
  const proof = { signature: '5xK9', timestamp: '2026-11-21T12:00:00.000Z', amount: '10000', from: 'Buyer' };
  test('the argument is not what the specification says, or carries more', () => {
    const challenge = detectChallenge(asked())!;
    expect(transferProof.attach(challenge, challenge.offers[0]!, JSON.stringify({ ...proof, extra: 1 }))).toEqual({ arguments: { _payment: JSON.stringify(proof) } });
  });

  test('a proof of another rail goes out', () => {
    const challenge = detectChallenge(asked())!;
    expect(() => transferProof.attach(challenge, challenge.offers[0]!, '{"signature":"x"}')).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});

describe('the answer to a paid call', () => {
  test.each([
    ['a plain result', result({ content: [{ type: 'text', text: 'Rendered!' }] }), { kind: 'served' }],
    ['a rejection', rpcError(-32002, 'Invalid payment', { reason: 'amount too low' }), { kind: 'refused', message: 'amount too low' }],
    ['a flattened rejection', errorText('MCP error -32002: Invalid payment'), { kind: 'refused', message: 'MCP error -32002: Invalid payment' }],
    ['a second challenge', asked(), { kind: 'refused' }],
    ['a second challenge without data', errorText('MCP error -32001: Payment required for this tool'), { kind: 'refused' }],
    ['a timeout', rpcError(-32001, 'Request timed out'), { kind: 'failed', message: 'Request timed out' }],
    ['a tool that failed', errorText('no such topping'), { kind: 'failed', message: 'no such topping' }],
  ])('misreads %s', (_name, message, expected) => {
    expect(transferProof.readAnswer(message)).toMatchObject(expected);
  });
});
