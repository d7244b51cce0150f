import type { JsonObject } from '../json/json.ts';
import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { toBase64 } from './x402-base64.ts';
import { inStructuredContent } from './x402-places.ts';
import { paymentPayload, readPaymentRequired } from './x402.ts';

const ID = 'x402-vercel';

/** The words by which this form is told from the official one. */
export const asksAsVercel = (required: JsonObject): boolean => required.get('error') === '_meta.x402.payment is required';

/** Vercel's x402-mcp: the official request, but proof and receipt go under names with a dot, the proof as a base64 text. */
export const x402Vercel: Dialect = {
  id: ID,
  resendable: true,

  detect({ rpc, lastDialect }) {
    const required = inStructuredContent(rpc);
    // Once a tool asked in this form, its later words ("Invalid payment") are of the same server.
    return required && (asksAsVercel(required) || lastDialect === ID) ? readPaymentRequired(ID, required, false) : undefined;
  },

  attach: (challenge, offer, payloadText) => ({
    meta: { 'x402.payment': JSON.stringify(toBase64(paymentPayload(challenge, offer, payloadText))) },
  }),

  readAnswer: (reading, bought) => readPaidAnswer(reading, bought, { receiptKey: 'x402.payment-response' }),
};
