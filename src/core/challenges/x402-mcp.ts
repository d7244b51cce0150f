import type { Challenge, Dialect, Offer } from './dialect.ts';
import type { RetryEdit } from './answer.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { inStructuredContent } from './x402-places.ts';
import { paymentPayload, readPaymentRequired } from './x402.ts';

/** The proof as an object in `params._meta["x402/payment"]`. */
export const objectInMeta = (challenge: Challenge, offer: Offer, payloadText: string): RetryEdit => ({
  meta: { 'x402/payment': paymentPayload(challenge, offer, payloadText) },
});

/** Official x402 over MCP, versions 1 and 2 (x402 specification v2, transport "mcp"): a tool error whose `structuredContent` is the request. */
export const x402Mcp: Dialect = {
  id: 'x402-mcp',
  resendable: true,

  detect({ rpc }) {
    const required = inStructuredContent(rpc);
    return required && readPaymentRequired('x402-mcp', required, false);
  },

  attach: objectInMeta,
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought),
};
