import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { objectInMeta } from './x402-mcp.ts';
import { inInnerError } from './x402-places.ts';
import { readPaymentRequired } from './x402.ts';

/** What it throws instead of serving; it gives no receipt. */
const REFUSED = /^(?:Payment failed|Incorrect signature|Unknown challenge ID|Payment is not confirmed yet|Invalid payment data|Cannot locate accepted payment)/;

/** PayMCP: an error 402 within the result. Each offer's `extra.challengeId` goes back with the offer, as it came. */
export const x402Paymcp: Dialect = {
  id: 'x402-paymcp',
  resendable: true,

  detect({ rpc }) {
    const required = inInnerError(rpc);
    return required && readPaymentRequired('x402-paymcp', required, false);
  },

  attach: objectInMeta,
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought, { refused: REFUSED }),
};
