import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { toErrorInfo } from '../../../shared/errors/errors.ts';
import type { FacilitatorClient } from './facilitator-client.ts';
import type { Offer } from './offers.ts';

const PAYMENT_KEY = 'x402/payment';
const RECEIPT_KEY = 'x402/payment-response';

const paymentSchema = z.looseObject({ x402Version: z.literal(2), accepted: z.looseObject({}), payload: z.looseObject({}) });

/** What a priced tool is sold for and through whom. */
export interface PaymentTerms {
  /** What the buyer pays for, as the challenge names it. */
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  /** The ways to pay, the seller's preference first. Asked for at every call, since a fee payer may change. */
  readonly accepts: () => Promise<readonly Offer[]>;
  readonly facilitator: FacilitatorClient;
}

/** A tool as the MCP server calls it. */
export type ToolHandler<Args> = (args: Args, context: ServerContext) => CallToolResult | Promise<CallToolResult>;

/**
 * Puts a price on a tool: official x402 v2 over MCP. Without a payment the call is answered with the challenge; with one, the
 * payment is verified, the tool runs, and the payment is settled before the answer leaves. A tool that fails is not charged.
 */
export function withPayment<Args>(terms: PaymentTerms, handler: ToolHandler<Args>): ToolHandler<Args> {
  return async (args, context) => {
    const accepts = await terms.accepts();
    const challenge = (error: string) => paymentRequired(terms, accepts, error);
    const given = context.mcpReq._meta?.[PAYMENT_KEY];
    if (given === undefined) return challenge('Payment required to access this resource');
    const parsed = paymentSchema.safeParse(given);
    if (!parsed.success) return challenge('Payment invalid: it is not an x402 version 2 payment');
    const payment = parsed.data;
    const offer = accepts.find((candidate) => isDeepStrictEqual({ ...candidate }, payment.accepted));
    if (!offer) return challenge('Payment invalid: the accepted terms are not among those offered');

    try {
      const verdict = await terms.facilitator.verify(payment, offer);
      if (!verdict.isValid) return challenge(`Payment invalid: ${verdict.invalidReason ?? 'the facilitator gave no reason'}`);
    } catch (error) {
      return challenge(`Payment verification failed: ${toErrorInfo(error).message}`);
    }
    const result = await handler(args, context);
    if (result.isError) return result;
    try {
      const receipt = await terms.facilitator.settle(payment, offer);
      if (!receipt.success) return challenge(`Payment settlement failed: ${receipt.errorReason ?? 'the facilitator gave no reason'}`);
      return { ...result, _meta: { ...result._meta, [RECEIPT_KEY]: receipt } };
    } catch (error) {
      return challenge(`Payment settlement failed: ${toErrorInfo(error).message}`);
    }
  };
}

function paymentRequired({ resource }: PaymentTerms, accepts: readonly Offer[], error: string): CallToolResult {
  const challenge = { x402Version: 2, error, resource, accepts };
  return { isError: true, structuredContent: challenge, content: [{ type: 'text', text: JSON.stringify(challenge) }] };
}
