import { isBursarError } from '../../shared/errors/errors.ts';
import { member, parseJson, type Json, type JsonObject } from '../json/json.ts';
import type { Dialect, PaidAnswer } from './dialect.ts';
import { claimsPaymentRequired, paymentPayload, readPaymentRequired, readReceipt } from './x402.ts';

const PAYMENT = 'x402/payment';
const RECEIPT = 'x402/payment-response';

/** Official x402 over MCP (x402 specification v2, transport "mcp"): the challenge is a tool result with `isError`. */
export const x402Mcp: Dialect = {
  id: 'x402-mcp',
  resendable: true,

  detect({ rpc }) {
    const found = rpc && paymentRequired(rpc);
    return found && readPaymentRequired('x402-mcp', found.required, found.textOnly);
  },

  attach: (challenge, offer, payloadText) => ({ meta: { [PAYMENT]: paymentPayload(challenge, offer, payloadText) } }),

  readAnswer({ rpc: response = new Map() }): PaidAnswer {
    const result = response.get('result');
    const receipt = readReceipt(member(member(result, '_meta'), RECEIPT));
    const withReceipt = receipt && { receipt };
    const found = paymentRequired(response);
    if (found || receipt?.success === false) {
      const message = member(found?.required, 'error') ?? member(receipt?.source, 'errorReason');
      const words = typeof message === 'string' ? message : '';
      return { kind: 'refused', message: words, settlementFailed: /settlement failed/i.test(words) || receipt?.success === false, ...withReceipt };
    }
    if (member(result, 'isError') === true) return { kind: 'failed', message: firstText(result) ?? '', ...withReceipt };
    if (result === undefined) {
      const message = member(response.get('error'), 'message');
      return { kind: 'failed', message: typeof message === 'string' ? message : '', ...withReceipt };
    }
    return { kind: 'served', ...withReceipt };
  },
};

/** The PaymentRequired in a tool result: in `structuredContent`, or as the JSON of its one text block. */
function paymentRequired(response: JsonObject): { required: JsonObject; textOnly: boolean } | undefined {
  const result = response.get('result');
  if (member(result, 'isError') !== true) return undefined;
  const structured = member(result, 'structuredContent');
  if (claimsPaymentRequired(structured)) return { required: structured, textOnly: false };

  const words = firstText(result);
  if (words === undefined || !words.includes('"x402Version"')) return undefined;
  try {
    const parsed = parseJson(words);
    return claimsPaymentRequired(parsed) ? { required: parsed, textOnly: true } : undefined;
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined; // a text that mentions x402 is still only a text
    throw error;
  }
}

/** Text of the first content block, where it is the only one of type text. */
function firstText(result: Json | undefined): string | undefined {
  const content = member(result, 'content');
  if (!Array.isArray(content)) return undefined;
  const texts = (content as readonly Json[]).filter((block) => member(block, 'type') === 'text');
  const words = member(texts[0], 'text');
  return texts.length === 1 && typeof words === 'string' ? words : undefined;
}
