import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { PaymentRail, Settlement } from '../rail.ts';
import { decimalPrice, type RailOffer } from '../terms.ts';

/** Id of the rail in MPX. */
export const DEV_SIGNATURE = 'dev-signature';

const payloadSchema = z.looseObject({ signature: z.string().regex(/^[0-9a-f]{64}$/) });

/** MPX's `dev-signature`: an HMAC over the terms with a shared secret. It moves nothing, and a proof fits all equal terms. */
export const devSignatureRail = ({ secret, payTo }: { readonly secret: string; readonly payTo: string }): PaymentRail => ({
  id: DEV_SIGNATURE,
  offer: async ({ price }) => {
    const { currency, decimals } = price;
    return { rail: DEV_SIGNATURE, network: 'none', payTo, terms: { scheme: 'hmac-sha256', payTo, amount: decimalPrice(price), currency, decimals } };
  },
  verify: async (proof, offer) => {
    const payload = payloadSchema.safeParse(proof);
    if (!payload.success) return { valid: false, reason: 'the signature is not 64 hex digits' };
    const expected = createHmac('sha256', secret).update(signedText(offer)).digest();
    const fits = timingSafeEqual(expected, Buffer.from(payload.data.signature, 'hex'));
    return fits ? { valid: true, payer: 'holder of the shared secret' } : { valid: false, reason: 'the signature does not fit the terms' };
  },
  coerce: (raw) => (typeof raw['signature'] === 'string' ? { signature: raw['signature'] } : undefined),
  retryText: (offer) => `Sign ${signedText(offer)} with HMAC-SHA256 and the shared secret, and send the hex digits as {"signature"}.`,
  redact: () => ({ signature: 'hidden' }),
});

// The order of the keys is part of the format.
const signedText = ({ rail, payTo, terms }: RailOffer): string =>
  JSON.stringify({ rail, payTo, amount: terms['amount'], currency: terms['currency'], decimals: terms['decimals'] });

/** There is nothing to move. */
export const devSettlement: Settlement = async ({ challenge, payer }) => ({ success: true, transaction: `dev:${challenge.id}`, network: 'none', payer });
