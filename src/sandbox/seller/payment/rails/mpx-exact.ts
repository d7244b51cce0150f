import { EVM_CHAIN_ID, EVM_NETWORK } from '../../../networks.ts';
import { isRecord } from '../call.ts';
import type { PaymentRail } from '../rail.ts';
import { decimalPrice } from '../terms.ts';
import { exactOffer, exactSpendingKey, redactExact, verifyExact, type ExactOptions } from './exact.ts';

/** Id of the rail in MPX. */
export const MPX_EXACT = 'x402-evm-exact';

/** MPX's `x402-evm-exact`: the payload is a decoded x402 version 1 payment. */
export function mpxExactRail(options: Omit<ExactOptions, 'network' | 'version'>): PaymentRail {
  const exact: ExactOptions = { ...options, network: EVM_NETWORK, version: 1 };
  return {
    id: MPX_EXACT,
    offer: async (request) => {
      const offer = await exactOffer(exact, request);
      const { price } = request;
      const terms = { ...offer.terms, chainId: EVM_CHAIN_ID, resource: '', description: `${decimalPrice(price)} ${price.currency}` };
      return { ...offer, rail: MPX_EXACT, terms };
    },
    verify: (proof, offer) => {
      const { chainId: _chainId, ...requirements } = offer.terms;
      return verifyExact(options.facilitator, proof, requirements);
    },
    // A payment as an agent may paste it: the x402 header's text, or the decoded object itself.
    coerce: (raw) => {
      const given = raw['payment'] ?? raw['xPayment'] ?? raw;
      if (isRecord(given) && given['x402Version'] === 1 && isRecord(given['payload'])) return given;
      return typeof given === 'string' ? decoded(given) : undefined;
    },
    spendingKey: exactSpendingKey,
    retryText: (offer) => `Sign an x402 version 1 "exact" payment of ${String(offer.terms['maxAmountRequired'])} base units to ${offer.payTo} on chain ${EVM_CHAIN_ID} and send it as the payload.`,
    redact: redactExact,
  };
}

function decoded(text: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    return isRecord(value) && value['x402Version'] === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}
