import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { objectInMeta } from './x402-mcp.ts';
import { inErrorData } from './x402-places.ts';
import { readPaymentRequired } from './x402.ts';

/**
 * x402 in a JSON-RPC error 402, or -32042 of the MCP extension (wire-formats section 2). Its servers may verify alone and say so in the
 * receipt of an answer that they serve.
 */
export const x402Error: Dialect = {
  id: 'x402-error',
  resendable: true,

  detect({ rpc }) {
    const required = inErrorData(rpc);
    return required && readPaymentRequired('x402-error', required, false);
  },

  attach: objectInMeta,
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought, { verifyOnly: true }),
};
