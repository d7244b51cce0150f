import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { toBase64 } from './x402-base64.ts';
import { inErrorMeta } from './x402-places.ts';
import { paymentPayload, readPaymentRequired } from './x402.ts';

/** The form of Cloudflare's agents and MCPay: the request in `result._meta["x402/error"]`. They take the proof as a base64 text and refuse objects. */
export const x402ErrorMeta: Dialect = {
  id: 'x402-error-meta',
  resendable: true,

  detect({ rpc }) {
    const required = inErrorMeta(rpc);
    return required && readPaymentRequired('x402-error-meta', required, false);
  },

  attach: (challenge, offer, payloadText) => ({
    meta: { 'x402/payment': JSON.stringify(toBase64(paymentPayload(challenge, offer, payloadText))) },
  }),

  readAnswer: (reading, bought) => readPaidAnswer(reading, bought),
};
