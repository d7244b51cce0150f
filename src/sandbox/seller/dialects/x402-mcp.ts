import { withMeta, type Reply } from '../payment/call.ts';
import type { Demand, SellingDialect } from '../payment/dialect.ts';
import { decimalPrice, type Challenge } from '../payment/terms.ts';
import { decodeBase64, paymentRequired, readPayment, type X402Version } from './x402.ts';

const PAYMENT = 'x402/payment';
const RECEIPT = 'x402/payment-response';

type Ask = (required: Readonly<Record<string, unknown>>, demand: Demand) => Reply;

const refusal = (text: string, more: object = {}): Reply => ({ kind: 'result', result: { isError: true, content: [{ type: 'text', text }], ...more } });

interface X402Form {
  readonly id: string;
  readonly version: X402Version;
  readonly ask: Ask;
  readonly base64?: boolean;
  readonly paymentKey?: string;
  readonly receiptKey?: string;
  /** The `error` of a first challenge, where buyers know the dialect by it. */
  readonly required?: string;
  readonly listing?: SellingDialect['listing'];
}

/** x402 in an MCP message, in one of its forms (wire-formats: x402 over MCP). */
function x402Form({ id, version, ask, base64 = false, paymentKey = PAYMENT, receiptKey = RECEIPT, required, listing }: X402Form): SellingDialect {
  return {
    id,
    storesChallenges: false,
    ...(listing && { listing }),
    read: ({ meta }) => readPayment(base64 ? decodeBase64(meta[paymentKey]) : meta[paymentKey], version),
    ask: (challenge, demand) => ask(paymentRequired(challenge, version, demand, required), demand),
    hand: (reply, { settled }) => withMeta(reply, receiptKey, settled),
  };
}

const officialAsk: Ask = (required) => refusal(JSON.stringify(required), { structuredContent: required });

/** The official form, version 2. */
export const officialV2 = x402Form({ id: 'x402-mcp-v2', version: 2, ask: officialAsk });
/** The official form, version 1. */
export const officialV1 = x402Form({ id: 'x402-mcp-v1', version: 1, ask: officialAsk });

/** A JSON-RPC error with code 402, as x402-go's servers send it: a refusal has no data. */
export const rpcError402 = x402Form({
  id: 'x402-rpc-402',
  version: 1,
  ask: (required, demand) => {
    switch (demand.kind) {
      case 'required':
        return { kind: 'error', code: 402, message: 'Payment required', data: required };
      case 'invalid':
        return { kind: 'error', code: 402, message: `Payment invalid: ${demand.reason}` };
      case 'unverified':
        return { kind: 'error', code: -32603, message: `Verification failed: ${demand.reason}` };
      case 'unsettled': {
        const { network = '', payer = '' } = demand.settled ?? {};
        return { kind: 'error', code: -32603, message: `Settlement failed: ${demand.reason}`, data: { [RECEIPT]: { success: false, network, payer, errorReason: demand.reason } } };
      }
    }
  },
});

/** A JSON-RPC error with the code of URL elicitation; the data tells them apart. */
export const rpcError32042 = x402Form({
  id: 'x402-rpc-32042',
  version: 2,
  ask: (required) => ({ kind: 'error', code: -32042, message: 'Payment required', data: required }),
});

/** A text and nothing else. */
export const textOnly = x402Form({
  id: 'x402-text',
  version: 2,
  ask: (required) => refusal(JSON.stringify({ 'x402/error': { code: 402, data: required } })),
});

/** Cloudflare's agents and MCPay: the challenge in `_meta`, the payment in base64. */
export const cloudflare = x402Form({
  id: 'x402-cloudflare',
  version: 1,
  base64: true,
  required: 'PAYMENT_REQUIRED',
  listing: (price) => ({
    members: { _meta: { 'agents-x402/paymentRequired': true, 'agents-x402/priceUSD': Number(decimalPrice(price)) } },
    annotations: { paymentHint: true, paymentPriceUSD: decimalPrice(price) },
  }),
  ask: (required) => refusal(JSON.stringify(required), { _meta: { 'x402/error': required } }),
});

/** Vercel's x402-mcp: the official form under keys of its own, the payment in base64. */
export const vercel = x402Form({
  id: 'x402-vercel',
  version: 1,
  base64: true,
  paymentKey: 'x402.payment',
  receiptKey: 'x402.payment-response',
  required: '_meta.x402.payment is required',
  listing: () => ({ annotations: { paymentHint: true } }),
  ask: officialAsk,
});

/** PayMCP: the challenge inside the result, each offer naming it; no receipt. */
export const paymcp: SellingDialect = {
  id: 'x402-paymcp',
  storesChallenges: true,
  read: ({ meta }) => {
    const sent = readPayment(meta[PAYMENT], 2);
    if (!sent || 'unreadable' in sent) return sent;
    const challengeId = challengeIdOf(sent.proof);
    return challengeId === undefined ? { unreadable: 'it names no challenge' } : { ...sent, challengeId };
  },
  word: (offer, { id }) => ({ ...offer, terms: { ...offer.terms, extra: { ...(offer.terms['extra'] as object), challengeId: id } } }),
  ask: (challenge, demand) => (demand.kind === 'required' ? paymcpDemand(challenge) : refusal(`Payment failed: ${demand.reason}`)),
  hand: (reply) => reply,
};

function paymcpDemand(challenge: Challenge): Reply {
  const worded = { ...challenge, offers: challenge.offers.map((offer) => paymcp.word!(offer, challenge)) };
  const data = paymentRequired(worded, 2, { kind: 'required' });
  return { kind: 'result', result: { content: [], error: { code: 402, message: 'Payment required', data } } };
}

function challengeIdOf(payment: unknown): string | undefined {
  const { accepted } = payment as { readonly accepted?: { readonly extra?: { readonly challengeId?: unknown } } };
  const id = accepted?.extra?.challengeId;
  return typeof id === 'string' ? id : undefined;
}
