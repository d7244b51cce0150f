import { describe, expect, test } from 'vitest';
import { detectChallenge, mayAskForMoney } from '../../../../src/core/challenges/registry.ts';
import { http, refusal, result, rpcError, toolError, wire } from './x402-fixtures.ts';

describe('a demand without terms', () => {
  test.each([
    ['flattened, 402', toolError('MCP error 402: Payment required')],
    ['flattened, 402 in other words', toolError('MCP error 402: Pay me')],
    ['flattened, -32042', toolError('MCP error -32042: Payment required for this tool')],
    ['flattened, -32001', toolError('MCP error -32001: Payment required for this tool')],
    ['a thrown text', toolError('Payment required')],
    ['a thrown text with a stop', toolError('Payment Required.')],
    ['an error 402', rpcError(402, 'Payment required')],
    ['an error 402 that was flattened into itself', rpcError(402, 'MCP error 402: Payment required')],
    ['an error -32001', rpcError(-32001, 'Payment required for this tool')],
  ])('passes to the agent as an answer: %s', (_name, given) => {
    expect(refusal(given)).toMatchObject({ code: 'TERMS_LOST' });
    expect(mayAskForMoney(wire(given))).toBe(true);
  });

  test('passes as an HTTP 402', () => {
    expect(refusal(http(402))).toMatchObject({ code: 'TERMS_LOST' });
  });
});

describe('an answer that only speaks of payment is held back (I8)', () => {
  test.each([
    ['an invoice', toolError('Payment required: invoice 402 is overdue')],
    ['a sentence', toolError('The API said that payment required a card')],
    ['a quotation', toolError('Upstream said: MCP error 402: Payment required')],
    ['another code', toolError('MCP error -32602: Payment required is not a valid field')],
    ['a timeout', toolError('MCP error -32001: Request timed out')],
    ['a page to visit', toolError('MCP error -32042: URL elicitation required')],
    ['two blocks', result({ isError: true, content: [{ type: 'text', text: 'Payment required' }, { type: 'text', text: 'x' }] })],
    ['a result', result({ content: [{ type: 'text', text: 'Payment required' }] })],
    ['an error with data', rpcError(402, 'Payment required', { invoice: 7 })],
    ['an error 402 in other words', rpcError(402, 'Quota of 402 requests used up')],
    ['an SDK that timed out', rpcError(-32001, 'Request timed out')],
    ['a session that ended', rpcError(-32001, 'Session not found')],
  ])('%s', (_name, given) => {
    expect(detectChallenge(given)).toBeUndefined();
  });
});
