import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { objectInMeta, x402Mcp } from './x402-mcp.ts';
import { inText } from './x402-places.ts';
import { asksAsVercel, x402Vercel } from './x402-vercel.ts';
import { readPaymentRequired } from './x402.ts';

/**
 * A request that stands in the text of a tool error alone: the JSON of the official form or of Vercel's, which are then paid in their
 * way, or `{"x402/error":{"code":402,"data":…}}`. A fetched page could have written it, so it never counts as more than a text.
 */
export const x402Text: Dialect = {
  id: 'x402-text',
  resendable: true,

  detect({ rpc, lastDialect }) {
    const found = inText(rpc);
    if (!found) return undefined;
    const { required, wrapped } = found;
    if (wrapped) return readPaymentRequired('x402-text', required, true);
    const { id } = asksAsVercel(required) || lastDialect === x402Vercel.id ? x402Vercel : x402Mcp;
    return readPaymentRequired(id, required, true);
  },

  attach: objectInMeta,
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought),
};
