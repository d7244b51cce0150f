import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { requiredInBody } from './x402-http-facts.ts';
import { inHeadersAndMeta } from './x402-http.ts';
import { readPaymentRequired } from './x402.ts';

/** x402 version 1 over HTTP: status 402 with the request in the body, the proof in `X-PAYMENT`. */
export const x402V1Http: Dialect = {
  id: 'x402-v1-http',
  resendable: true,

  detect({ http }) {
    const required = http?.status === 402 ? requiredInBody(http) : undefined;
    return required?.get('x402Version') === 1 ? readPaymentRequired('x402-v1-http', required, false) : undefined;
  },

  attach: inHeadersAndMeta(['X-PAYMENT']),
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought),
};
