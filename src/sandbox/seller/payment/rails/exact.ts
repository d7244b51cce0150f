import { createHash } from 'node:crypto';
import { z } from 'zod';
import { EVM_NETWORK, EVM_NETWORK_V1, EVM_USDC, SOLANA_NETWORK_V1, SOLANA_USDC, type SandboxNetwork } from '../../../networks.ts';
import type { FacilitatorClient } from '../facilitator-client.ts';
import type { OfferRequest, PaymentRail, Settlement, Verdict } from '../rail.ts';
import type { PayTo, RailOffer } from '../terms.ts';

export interface ExactOptions {
  readonly network: SandboxNetwork;
  /** Version of x402 whose words the offers use. */
  readonly version: 1 | 2;
  readonly facilitator: FacilitatorClient;
  readonly payTo: PayTo;
  /** How long a buyer's authorization may stay valid, in seconds. */
  readonly maxTimeoutSeconds: number;
  /** The account that pays the Solana fees. */
  readonly feePayer: () => Promise<string>;
}

const payloadSchema = z.looseObject({ payload: z.looseObject({}) });
const authorizationSchema = z.looseObject({ authorization: z.looseObject({ from: z.string(), nonce: z.string() }) });
const transactionSchema = z.looseObject({ transaction: z.string() });

/** x402 `exact` on one network, verified and settled by a facilitator. A proof is the whole x402 payment object. */
export function exactRail(options: ExactOptions): PaymentRail {
  const { network, version, facilitator } = options;
  return {
    id: `exact-${network === EVM_NETWORK ? 'evm' : 'svm'}-v${version}`,
    offer: (request) => exactOffer(options, request),
    verify: (proof, offer) => verifyExact(facilitator, proof, offer.terms),
    spendingKey: exactSpendingKey,
    retryText: (offer) => `Sign an x402 "exact" payment of ${amountOf(offer)} base units to ${offer.payTo} and send it with the same call.`,
    redact: redactExact,
  };
}

/** The offer of {@link exactRail}. */
export async function exactOffer({ network, version, payTo, maxTimeoutSeconds, feePayer }: ExactOptions, { product, price }: OfferRequest): Promise<RailOffer> {
  const evm = network === EVM_NETWORK;
  const payee = evm ? payTo.evm : payTo.solana;
  const extra = evm ? { name: 'USDC', version: '2' } : { feePayer: await feePayer() };
  const amount = price.units.toString();
  const common = { asset: evm ? EVM_USDC : SOLANA_USDC, payTo: payee, maxTimeoutSeconds, extra };
  const { url: resource, description, mimeType } = product;
  const terms =
    version === 2
      ? { scheme: 'exact', network, amount, ...common }
      : { scheme: 'exact', network: evm ? EVM_NETWORK_V1 : SOLANA_NETWORK_V1, maxAmountRequired: amount, resource, description, mimeType, outputSchema: null, ...common };
  return { rail: `exact-${evm ? 'evm' : 'svm'}-v${version}`, network, payTo: payee, terms };
}

/** Asks the facilitator about an x402 payment object. Throws where it gives no proper answer. */
export async function verifyExact(facilitator: FacilitatorClient, proof: unknown, terms: object): Promise<Verdict> {
  const payment = payloadSchema.safeParse(proof);
  if (!payment.success) return { valid: false, reason: 'it is not an x402 payment' };
  const verdict = await facilitator.verify(payment.data, terms);
  if (verdict.isValid) return { valid: true, payer: verdict.payer ?? '' };
  return { valid: false, reason: verdict.invalidReason ?? 'the facilitator gave no reason' };
}

/** Lets a facilitator collect x402 payments. */
export const facilitatorSettlement =
  (facilitator: FacilitatorClient): Settlement =>
  ({ proof, offer }) =>
    facilitator.settle(payloadSchema.parse(proof), offer.terms);

/** An authorization's nonce or a transaction's bytes: what the chain itself takes once only. */
export function exactSpendingKey(proof: unknown): string | undefined {
  const payment = payloadSchema.safeParse(proof);
  const authorized = authorizationSchema.safeParse(payment.data?.payload);
  if (authorized.success) return `eip3009:${authorized.data.authorization.from.toLowerCase()}:${authorized.data.authorization.nonce.toLowerCase()}`;
  const signed = transactionSchema.safeParse(payment.data?.payload);
  return signed.success ? `svm:${createHash('sha256').update(signed.data.transaction).digest('hex')}` : undefined;
}

/** Payer and nonce, or the fingerprint of a transaction. */
export function redactExact(proof: unknown): Readonly<Record<string, string>> {
  const key = exactSpendingKey(proof);
  return { spends: key ?? 'unreadable' };
}

const amountOf = ({ terms }: RailOffer): string => String(terms['amount'] ?? terms['maxAmountRequired']);
