import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { member, parseJson, type Json, type JsonObject } from '../json/json.ts';
import { NETWORKS } from '../registry/networks.ts';
import { textOf, type HttpFacts, type Reading } from './answer.ts';
import type { Bought, PaidAnswer, Receipt } from './dialect.ts';
import { onlyText } from './tool-result.ts';
import { tryBase64 } from './x402-base64.ts';
import { receiptInHeaders, requiredInBody, requiredInHeaders } from './x402-http-facts.ts';
import { anywhere } from './x402-places.ts';
import { readReceipt } from './x402.ts';

const RECEIPT = 'x402/payment-response';
const SETTLEMENT_FAILED = /settlement[ _]failed/i;
/** How servers begin the text of a refused payment, in an error's message or, flattened by an SDK, in a tool error. */
const REFUSED = /^(?:MCP error -?\d+: )?(?:(?:Payment|Settlement) (?:required|invalid|failed|verification failed|settlement failed)|(?:Verification|Settlement) failed|Invalid payment)\b/i;
/** Statuses of a gateway that gave up on what stands behind it: that may have settled all the same. */
const OUTCOME_UNKNOWN: readonly number[] = [502, 503, 504];
const PERMIT2_ALLOWANCE_REQUIRED = 412;

export interface AnswerForm {
  /** Name of the receipt in `result._meta`, where it is not the official one. */
  readonly receiptKey?: string;
  /** Texts of tool errors by which the dialect refuses a payment, besides those that all servers share. */
  readonly refused?: RegExp;
  /** True where a served answer may carry a receipt that says `success: false`, because the server only verifies. */
  readonly verifyOnly?: boolean;
}

/**
 * The answer to a call that carried an x402 proof, over MCP or over HTTP alone. Throws `PAYMENT_OUTCOME_UNKNOWN` for an HTTP status by which
 * nobody knows whether the money moved.
 */
export function readPaidAnswer(reading: Reading, bought: Bought | undefined, form: AnswerForm = {}): PaidAnswer {
  const answer = readAny(reading, form);
  if (!answer.receipt || !bought || isFor(answer.receipt, bought)) return answer;
  // Whatever it says of another network, it does not say that this payment was settled.
  return { ...answer, receipt: { ...answer.receipt, success: false } };
}

/** True for a receipt that names the network of the offer, by its id or its short name, or none. */
function isFor({ network }: Receipt, { offerText }: Bought): boolean {
  const idOf = (name: string) => NETWORKS.find(({ v1Name }) => v1Name !== undefined && v1Name === name)?.id ?? name;
  return network === '' || idOf(network) === idOf(textOf(member(parseJson(offerText), 'network')));
}

function readAny({ rpc, http }: Reading, form: AnswerForm): PaidAnswer {
  const receipt = (rpc && receiptInMessage(rpc, form)) ?? receiptInHeaders(http);
  if (!rpc) return readHttpAnswer(http, receipt);

  const withReceipt = receipt && { receipt };
  const refused = (message: string): PaidAnswer => ({
    kind: 'refused',
    message,
    settlementFailed: SETTLEMENT_FAILED.test(message) || receipt?.success === false,
    ...withReceipt,
  });

  const demand = anywhere(rpc);
  if (demand) return refused(textOf(demand.get('error')) || reasonOf(receipt));

  const result = rpc.get('result');
  if (result === undefined || member(result, 'isError') === true || member(member(result, 'error'), 'code') === 402) {
    const error = result === undefined ? rpc.get('error') : member(result, 'error');
    const words = onlyText(result) ?? textOf(member(error, 'message'));
    const isRefusal = receipt?.success === false || member(error, 'code') === 402 || REFUSED.test(words) || form.refused?.test(words) === true;
    return isRefusal ? refused(words || reasonOf(receipt)) : { kind: 'failed', message: words, ...withReceipt };
  }
  if (receipt?.success === false && !form.verifyOnly) return refused(reasonOf(receipt));
  return { kind: 'served', ...withReceipt };
}

/** The receipt in a result's `_meta`, as an object or in base64, or in the data of an error. */
function receiptInMessage(rpc: JsonObject, { receiptKey = RECEIPT }: AnswerForm): Receipt | undefined {
  const written = member(member(rpc.get('result'), '_meta'), receiptKey) ?? member(member(rpc.get('error'), 'data'), receiptKey);
  return readReceipt(typeof written === 'string' ? tryBase64(written) : written);
}

/** The rules of wire-formats section 1: a 402 may be a settlement that failed, and a gateway's error says nothing of the money. */
function readHttpAnswer(http: HttpFacts | undefined, receipt: Receipt | undefined): PaidAnswer {
  const withReceipt = receipt && { receipt };
  const status = http?.status ?? 0;
  if (!http || OUTCOME_UNKNOWN.includes(status)) {
    throw new BursarError('PAYMENT_OUTCOME_UNKNOWN', `The server answered HTTP ${status}, which does not say whether it took the payment.`);
  }
  if (status === 402) {
    const message = textOf(demandOf(http)?.get('error')) || reasonOf(receipt);
    return { kind: 'refused', message, settlementFailed: receipt?.success === false || SETTLEMENT_FAILED.test(message), ...withReceipt };
  }
  if (status === PERMIT2_ALLOWANCE_REQUIRED) {
    return { kind: 'refused', message: 'it wants an allowance for Permit2 first, which this wallet does not give', settlementFailed: false, ...withReceipt };
  }
  if (status >= 200 && status < 300) return { kind: 'served', ...withReceipt };
  return { kind: 'failed', message: `HTTP ${status}`, ...withReceipt };
}

/** The demand that a refusal repeats, if it can be read: the refusal stands either way. */
function demandOf(http: HttpFacts): JsonObject | undefined {
  for (const read of [requiredInHeaders, requiredInBody]) {
    try {
      const demand = read(http);
      if (demand) return demand;
    } catch (error) {
      if (!isBursarError(error)) throw error;
    }
  }
  return undefined;
}

const reasonOf = (receipt: Receipt | undefined): string => {
  const source: Json | undefined = receipt?.source;
  return textOf(member(source, 'errorReason')) || textOf(member(source, 'errorMessage'));
};
