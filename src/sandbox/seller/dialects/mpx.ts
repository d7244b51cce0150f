import { z } from 'zod';
import { isRecord, withMeta, type Call, type Reply } from '../payment/call.ts';
import type { SellingDialect, SentPayment } from '../payment/dialect.ts';
import type { PaymentRail } from '../payment/rail.ts';
import { decimalPrice, type Challenge, type Price } from '../payment/terms.ts';

const CHALLENGE = 'mpx/v1.challenge';
const AUTHORIZATION = 'mpx/v1.authorization';
const RECEIPT = 'mpx/v1.receipt';
const ARGUMENT = 'payment_authorization';

const authorizationSchema = z.looseObject({ mpxVersion: z.literal(1), paymentRequestId: z.string(), rail: z.string(), payload: z.unknown() });
type Authorization = z.infer<typeof authorizationSchema>;

/** MPX: challenge, authorization and receipt in `_meta`; agents without `_meta` may use the argument `payment_authorization`. */
export const mpx: SellingDialect = {
  id: 'mpx',
  storesChallenges: true,
  paymentArguments: [ARGUMENT],
  listing: () => ({ arguments: { [ARGUMENT]: { type: 'string', description: `An MPX authorization as JSON, for callers that cannot set _meta["${AUTHORIZATION}"].` } } }),
  read: (call, rails) => {
    const given = givenAuthorization(call);
    if (given === undefined) return undefined;
    const authorization = isRecord(given) ? readAuthorization(given, rails) : undefined;
    return authorization ? asPayment(authorization) : { unreadable: 'the authorization cannot be read' };
  },
  ask: (challenge, demand, rails) => (demand.kind === 'required' ? demandPayment(challenge, rails) : textResult(`payment_error: ${demand.reason}`)),
  hand: (reply, { challenge, offer, settled, at }) =>
    withMeta(reply, RECEIPT, {
      mpxVersion: 1,
      paymentRequestId: challenge.id,
      rail: offer.rail,
      settlementRef: settled.transaction,
      amount: amountOf(challenge.price),
      settledAt: new Date(at).toISOString(),
    }),
};

/** `_meta` first; an argument may be JSON text. */
function givenAuthorization({ meta, args }: Call): unknown {
  const given = meta[AUTHORIZATION] ?? args[ARGUMENT];
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return null;
  }
}

/** An authorization as it should be, or one that a rail recognises as loosely written. */
function readAuthorization(given: Readonly<Record<string, unknown>>, rails: readonly PaymentRail[]): Authorization | undefined {
  const exact = authorizationSchema.safeParse(given);
  if (exact.success && exact.data.payload !== undefined) return exact.data;
  const { paymentRequestId } = given;
  if (typeof paymentRequestId !== 'string') return undefined;
  for (const rail of rails) {
    if (given['rail'] !== undefined && given['rail'] !== rail.id) continue;
    const payload = rail.coerce?.(isRecord(given['payload']) ? given['payload'] : given);
    if (payload !== undefined) return { mpxVersion: 1, paymentRequestId, rail: rail.id, payload };
  }
  return undefined;
}

const asPayment = ({ paymentRequestId, rail, payload }: Authorization): SentPayment => ({
  challengeId: paymentRequestId,
  proof: payload,
  accepts: (offer) => offer.rail === rail,
});

function demandPayment(challenge: Challenge, rails: readonly PaymentRail[]): Reply {
  const { id, product, offers, price, expiresAt } = challenge;
  const how = offers.map((offer) => rails.find((rail) => rail.id === offer.rail)?.retryText(offer) ?? '').join(' Or: ');
  const text = `payment_required: ${product.description} (${decimalPrice(price)} ${price.currency}). Repeat the call with _meta["${AUTHORIZATION}"] or the argument ${ARGUMENT}. ${how}`;
  return {
    kind: 'result',
    result: {
      isError: true,
      content: [{ type: 'text', text }],
      _meta: {
        [CHALLENGE]: {
          mpxVersion: 1,
          paymentRequestId: id,
          expiresAt: new Date(expiresAt).toISOString(),
          reason: { tool: product.name, description: product.description },
          amount: amountOf(price),
          accepts: offers.map(({ rail, payTo, terms: requirements }) => ({ rail, payTo, requirements })),
        },
      },
    },
  };
}

const amountOf = (price: Price) => ({ value: decimalPrice(price), currency: price.currency, decimals: price.decimals });

const textResult = (text: string): Reply => ({ kind: 'result', result: { isError: true, content: [{ type: 'text', text }] } });
