import { isRecord, withMeta, type Call, type Reply } from '../payment/call.ts';
import type { Demand, SellingDialect } from '../payment/dialect.ts';
import type { Challenge } from '../payment/terms.ts';
import { decodeBase64, encodeBase64, paymentRequired, readPayment, type X402Version } from './x402.ts';

interface HeaderForm {
  readonly id: string;
  readonly version: X402Version;
  /** Header that carries the challenge; without one it stands in the body. */
  readonly required?: string;
  /** Headers that may carry the payment. */
  readonly payment: readonly string[];
  readonly response: string;
}

/** x402 over HTTP in one of its forms. As the reference middleware does it, a failed settlement is a 402 with a receipt and no challenge. */
function headerForm({ id, version, required, payment, response }: HeaderForm): SellingDialect {
  return {
    id,
    storesChallenges: false,
    read: (call) => readPayment(headerPayment(call, payment), version),
    ask: (challenge, demand) => {
      if (demand.kind === 'unsettled') return http402({ [response]: encodeBase64(failedReceipt(demand)) }, {});
      const document = paymentRequired(challenge, version, demand);
      return required === undefined ? http402({}, document) : http402({ [required]: encodeBase64(document) }, {});
    },
    hand: (reply, { settled }) => withHeader(reply, response, encodeBase64(settled)),
  };
}

/** Version 2: everything in headers. */
export const httpV2 = headerForm({ id: 'x402-http-v2', version: 2, required: 'payment-required', payment: ['payment-signature'], response: 'payment-response' });
/** Version 2 whose challenge stands in the body alone. */
export const httpV2Body = headerForm({ id: 'x402-http-v2-body', version: 2, payment: ['payment-signature'], response: 'payment-response' });
/** Version 1. */
export const httpV1 = headerForm({ id: 'x402-http-v1', version: 1, payment: ['x-payment'], response: 'x-payment-response' });
/** Version 2 under the older names of its headers. */
export const httpXNames = headerForm({ id: 'x402-http-x-names', version: 2, required: 'x-payment-required', payment: ['x-payment-signature'], response: 'x-payment-response' });

/** Separate headers for amount, recipient, token and network. The buyer lets a facilitator settle before it calls again. */
export const httpSplit: SellingDialect = {
  id: 'x402-http-split',
  storesChallenges: false,
  read: (call) => {
    const given = headerPayment(call, ['x-payment-signature', 'payment-signature']);
    if (given === undefined) return undefined;
    if (!isRecord(given) || !isRecord(given['payload'])) return { unreadable: 'it is not an x402 payment' };
    const form = isRecord(given['payload']['authorization']) ? 'eip155:' : 'solana:';
    return { proof: given, accepts: ({ network }) => network.startsWith(form) };
  },
  ask: (challenge, demand) => (demand.kind === 'unsettled' ? http402({ 'x-payment-response': encodeBase64(failedReceipt(demand)) }, {}) : http402(splitHeaders(challenge), { error: demand.kind === 'required' ? 'Payment required' : demand.reason })),
  hand: (reply, { settled }) => withHeader(reply, 'x-payment-response', encodeBase64(settled)),
};

function splitHeaders({ offers }: Challenge): Record<string, string> {
  const [offer] = offers;
  if (!offer) return {};
  const { amount, asset } = offer.terms;
  return { 'x-payment-amount': String(amount), 'x-payment-recipient': offer.payTo, 'x-payment-token': String(asset), 'x-payment-network': offer.network };
}

/** HTTP 402 on the POST of an MCP message. The payment may come in the header or in `_meta`. */
export const mcpPost402: SellingDialect = {
  ...httpV2,
  id: 'x402-mcp-post',
  read: (call) => readPayment(headerPayment(call, ['payment-signature']) ?? call.meta['x402/payment'], 2),
  hand: (reply, sale) => withHeader(withMeta(reply, 'x402/payment-response', sale.settled), 'payment-response', encodeBase64(sale.settled)),
};

function headerPayment({ headers }: Call, names: readonly string[]): unknown {
  const given = names.map((name) => headers[name]).find((text) => text !== undefined);
  return decodeBase64(given);
}

const failedReceipt = ({ reason, settled }: Extract<Demand, { kind: 'unsettled' }>) => settled ?? { success: false, errorReason: reason, transaction: '', network: '' };

const http402 = (headers: Record<string, string>, body: unknown): Reply => ({ kind: 'http', status: 402, headers, body });

const withHeader = (reply: Reply, name: string, value: string): Reply => (reply.kind === 'error' ? reply : { ...reply, headers: { ...reply.headers, [name]: value } });
