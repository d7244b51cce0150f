import { isBursarError } from '../../shared/errors/errors.ts';
import { header, type Reading, type RetryEdit } from './answer.ts';
import type { Challenge, Dialect, Offer } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { toBase64 } from './x402-base64.ts';
import { requiredInBody, requiredInHeaders } from './x402-http-facts.ts';
import { paymentPayload, readPaymentRequired } from './x402.ts';

/** The proof in HTTP headers, and in `_meta` as well: on a call of MCP nobody knows at which of the two layers the server looks. */
export function inHeadersAndMeta(names: readonly string[]) {
  return (challenge: Challenge, offer: Offer, payloadText: string): RetryEdit => {
    const payload = paymentPayload(challenge, offer, payloadText);
    const value = toBase64(payload);
    // A request of version 1 may stand where version 2 puts its own; its server still looks for the proof where version 1 does.
    const sent = new Set([...names, ...(offer.x402Version === 1 ? ['X-PAYMENT'] : [])]);
    return { headers: Object.fromEntries([...sent].map((name) => [name, value])), meta: { 'x402/payment': payload } };
  };
}

/** x402 version 2 over HTTP (specification v2, transport "http"): status 402 with the request in `PAYMENT-REQUIRED`, or in the body alone. */
export const x402Http: Dialect = {
  id: 'x402-http',
  resendable: true,
  detect: (reading) => detect('x402-http', reading),
  attach: inHeadersAndMeta(['PAYMENT-SIGNATURE']),
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought),
};

/** The same under the header names of early servers, `X-Payment-Required`; they get the proof under both names. */
export const x402HttpPrefixed: Dialect = {
  ...x402Http,
  id: 'x402-http-prefixed',
  detect: (reading) => (header(reading.http, 'x-payment-required') === undefined ? undefined : detect('x402-http-prefixed', reading)),
  attach: inHeadersAndMeta(['PAYMENT-SIGNATURE', 'X-Payment-Signature']),
};

function detect(id: string, { http }: Reading): Challenge | undefined {
  if (http?.status !== 402) return undefined;
  try {
    const required = requiredInHeaders(http);
    if (required) return readPaymentRequired(id, required, false);
  } catch (error) {
    // Some servers spoil the header and write the body right; one of version 1 is another dialect's.
    const body = isBursarError(error, 'CHALLENGE_MALFORMED') ? requiredInBody(http) : undefined;
    if (!body) throw error;
  }
  const body = requiredInBody(http);
  return body && body.get('x402Version') !== 1 ? readPaymentRequired(id, body, false) : undefined;
}
