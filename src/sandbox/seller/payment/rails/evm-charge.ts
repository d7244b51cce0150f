import { encodePacked, keccak256 } from 'viem';
import { z } from 'zod';
import { EVM_CHAIN_ID, EVM_NETWORK, EVM_USDC } from '../../../networks.ts';
import type { FacilitatorClient } from '../facilitator-client.ts';
import type { PaymentRail, Settlement } from '../rail.ts';
import type { RailOffer } from '../terms.ts';

/** Id of the rail. */
export const EVM_CHARGE = 'evm-charge';

const hex = z.string().regex(/^0x[0-9a-fA-F]+$/);
const units = z.string().regex(/^\d+$/);
const authorizationSchema = z.object({ from: hex, to: hex, value: units, validAfter: units, validBefore: units, nonce: hex });
const payloadSchema = z.looseObject({ type: z.literal('authorization'), signature: hex, ...authorizationSchema.shape });

export interface EvmChargeOptions {
  readonly facilitator: FacilitatorClient;
  readonly payTo: string;
  /** Who asks, as the challenge names it. */
  readonly realm: string;
}

/** MPP's method `evm`, intent `charge`: an EIP-3009 authorization whose nonce is bound to the challenge. */
export function evmChargeRail({ facilitator, payTo, realm }: EvmChargeOptions): PaymentRail {
  return {
    id: EVM_CHARGE,
    offer: async ({ price, product }) => ({
      rail: EVM_CHARGE,
      network: EVM_NETWORK,
      payTo,
      terms: {
        amount: price.units.toString(),
        currency: EVM_USDC,
        description: product.description,
        methodDetails: { chainId: EVM_CHAIN_ID, credentialTypes: ['authorization'], decimals: price.decimals },
        recipient: payTo,
      },
    }),
    verify: async (proof, offer, challenge) => {
      const payload = payloadSchema.safeParse(proof);
      if (!payload.success) return { valid: false, reason: 'it is not an EVM authorization' };
      if (payload.data.nonce.toLowerCase() !== keccak256(encodePacked(['string'], [challenge.id + realm]))) return { valid: false, reason: 'the nonce does not belong to this challenge' };
      const verdict = await facilitator.verify(asPayment(payload.data, offer), asRequirements(offer));
      return verdict.isValid ? { valid: true, payer: verdict.payer ?? '' } : { valid: false, reason: verdict.invalidReason ?? 'the facilitator gave no reason' };
    },
    spendingKey: (proof) => {
      const payload = payloadSchema.safeParse(proof);
      return payload.success ? `eip3009:${payload.data.from.toLowerCase()}:${payload.data.nonce.toLowerCase()}` : undefined;
    },
    retryText: ({ terms }) => `Authorize a transfer of ${String(terms['amount'])} base units to ${payTo}.`,
    redact: (proof) => {
      const payload = payloadSchema.safeParse(proof);
      return payload.success ? { from: payload.data.from, nonce: payload.data.nonce } : { payload: 'unreadable' };
    },
  };
}

/** Collects the authorization through the facilitator, which submits it as it is. */
export const evmChargeSettlement =
  (facilitator: FacilitatorClient): Settlement =>
  ({ proof, offer }) =>
    facilitator.settle(asPayment(payloadSchema.parse(proof), offer), asRequirements(offer));

/** The offer as x402 requirements. */
const asRequirements = ({ terms, payTo }: RailOffer) => ({
  scheme: 'exact',
  network: EVM_NETWORK,
  amount: terms['amount'],
  asset: EVM_USDC,
  payTo,
  maxTimeoutSeconds: 300,
  extra: { name: 'USDC', version: '2' },
});

function asPayment({ signature, ...payload }: z.infer<typeof payloadSchema>, offer: RailOffer) {
  return { x402Version: 2, accepted: asRequirements(offer), payload: { signature, authorization: authorizationSchema.parse(payload) } };
}
