import { isObject, member, type Json, type JsonObject } from '../json/json.ts';
import { textOf, type Reading } from './answer.ts';
import type { Dialect, PaidAnswer } from './dialect.ts';
import { isMppChallenge, mppCredential, readMppChallenges, readMppReceipt, type MppEntry } from './mpp-challenge.ts';
import { complaint, toolError, jsonOf } from './tool-result.ts';

const CREDENTIAL = 'org.paymentauth/credential';
const RECEIPT = 'org.paymentauth/receipt';
const REQUIRED = 'org.paymentauth/payment-required';
const PAYMENT_REQUIRED = -32042;
const VERIFICATION_FAILED = -32043;
/** What `McpServer` makes of an error that it passes on as text: code and message are left, the data is lost. */
const FLATTENED = /^MCP error -3204[23]:/;

/** MPP, the Machine Payments Protocol, over MCP (wire-formats section 6): a JSON-RPC error with challenges, or a tool result with them in `_meta`. */
export const mpp: Dialect = {
  id: 'mpp',
  resendable: true,

  detect(reading) {
    const required = requiredOf(reading);
    return required && readMppChallenges('mpp', required.entries, complaint(reading.rpc), required.source);
  },

  attach: (_challenge, offer, payloadText) => ({ meta: { [CREDENTIAL]: mppCredential(offer, payloadText) } }),

  readAnswer(reading, bought): PaidAnswer {
    const paidId = bought && textOf(member(jsonOf(bought.offerText), 'id'));
    const receipt = readMppReceipt(member(member(reading.rpc?.get('result'), '_meta'), RECEIPT), paidId);
    const withReceipt = receipt && { receipt };
    const error = reading.rpc?.get('error');
    const words = complaint(reading.rpc);
    const isRejected = member(error, 'code') === VERIFICATION_FAILED || requiredOf(reading) !== undefined || (toolError(reading.rpc) && FLATTENED.test(words));
    if (isRejected) return { kind: 'refused', message: problemOf(error) || words, settlementFailed: false, ...withReceipt };
    if (toolError(reading.rpc) || !reading.rpc?.has('result')) return { kind: 'failed', message: words, ...withReceipt };
    return { kind: 'served', ...withReceipt };
  },
};

/** The object that holds the challenges, where every one of them is complete. */
function requiredOf(reading: Reading): { source: JsonObject; entries: readonly MppEntry[] } | undefined {
  const error = reading.rpc?.get('error');
  const code = member(error, 'code');
  const data = code === PAYMENT_REQUIRED || code === VERIFICATION_FAILED ? member(error, 'data') : member(member(toolError(reading.rpc), '_meta'), REQUIRED);
  const challenges = member(data, 'challenges');
  if (!isObject(data) || !Array.isArray(challenges) || challenges.length === 0) return undefined;
  const entries = (challenges as readonly Json[]).flatMap((source) => {
    const request = member(source, 'request');
    return isMppChallenge(source) && isObject(request) ? [{ source, request }] : [];
  });
  return entries.length === challenges.length ? { source: data, entries } : undefined;
}

/** What the server says of the credential (RFC 9457 problem details). */
const problemOf = (error: Json | undefined): string => {
  const problem = member(member(error, 'data'), 'problem');
  return textOf(member(problem, 'detail')) || textOf(member(problem, 'title'));
};
