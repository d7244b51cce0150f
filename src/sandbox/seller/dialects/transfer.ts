import { SOLANA_NETWORK_V1 } from '../../networks.ts';
import type { SellingDialect } from '../payment/dialect.ts';
import { decimalPrice, type Challenge } from '../payment/terms.ts';

const PAYMENT = '_payment';
const REQUIRED = -32001;
const INVALID = -32002;

/** JSON-RPC error -32001: the buyer sends the money itself and names the transaction in the argument `_payment`. There is no receipt. */
export const transferError: SellingDialect = {
  id: 'transfer-32001',
  storesChallenges: false,
  paymentArguments: [PAYMENT],
  listing: (price, payTo) => ({
    members: { payment: { required: true, price: Number(decimalPrice(price)), currency: price.currency, description: 'Send the price and name the transaction.', recipient: payTo.solana } },
    arguments: { [PAYMENT]: { type: 'object', description: 'The transaction that paid: signature, timestamp, amount and from.' } },
  }),
  read: ({ args }) => (args[PAYMENT] === undefined ? undefined : { proof: args[PAYMENT], accepts: () => true }),
  ask: (challenge, demand) =>
    demand.kind === 'required'
      ? { kind: 'error', code: REQUIRED, message: 'Payment required for this tool', data: { paymentRequirements: requirements(challenge) } }
      : { kind: 'error', code: INVALID, message: 'Invalid payment', data: { reason: demand.reason } },
  hand: (reply) => reply,
};

function requirements({ offers }: Challenge) {
  const [offer] = offers;
  if (!offer) return {};
  const { amount, mint, description, currency } = offer.terms;
  return { price: { amount, asset: { address: mint } }, recipient: offer.payTo, description, currency, network: SOLANA_NETWORK_V1 };
}
