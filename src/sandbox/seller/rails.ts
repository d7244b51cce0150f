import { BursarError } from '../../shared/errors/errors.ts';
import { EVM_NETWORK, SOLANA_NETWORK, type SandboxNetwork } from '../networks.ts';
import type { FacilitatorClient } from './payment/facilitator-client.ts';
import { DEV_SIGNATURE, devSettlement, devSignatureRail } from './payment/rails/dev-signature.ts';
import { EVM_CHARGE, evmChargeRail, evmChargeSettlement } from './payment/rails/evm-charge.ts';
import { exactRail, facilitatorSettlement } from './payment/rails/exact.ts';
import { MPX_EXACT, mpxExactRail } from './payment/rails/mpx-exact.ts';
import { findSettled, settledFirst, settleUnlessSettled } from './payment/rails/settled-first.ts';
import { STRIPE_CARD, stripeCapture, stripeCardRail } from './payment/rails/stripe-card.ts';
import { prepaidSettlement, TRANSFER_SVM, transferRail } from './payment/rails/transfer-svm.ts';
import { settleBy, type PaymentRail, type Settlement } from './payment/rail.ts';
import { stripeClient } from './payment/stripe-client.ts';
import type { PayTo } from './payment/terms.ts';

/** Every way in which the demo seller can be paid. */
export type RailName =
  | 'exact-evm-v1'
  | 'exact-svm-v1'
  | 'exact-evm-v2'
  | 'exact-svm-v2'
  | 'settled-evm-v2'
  | 'settled-svm-v2'
  | typeof MPX_EXACT
  | typeof DEV_SIGNATURE
  | typeof STRIPE_CARD
  | typeof EVM_CHARGE
  | typeof TRANSFER_SVM;

/** Who asks for money under MPP. */
export const REALM = 'bursar-demo-seller';

const TRANSFER_MAX_AGE_MS = 600_000;

export interface RailOptions {
  readonly facilitator: FacilitatorClient;
  readonly payTo: PayTo;
  readonly maxTimeoutSeconds: number;
  readonly evmRpcUrl: string;
  readonly solanaRpcUrl: string;
  readonly card: CardAccess;
  /** Shared with buyers of `dev-signature`. */
  readonly devSecret: string;
  readonly now: () => number;
}

/** A card service that behaves like Stripe's, and the seller's account there. */
export interface CardAccess {
  readonly url: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly account: string;
}

export interface SellerRails {
  readonly rails: Readonly<Record<RailName, PaymentRail>>;
  readonly settle: Settlement;
}

/** The demo seller's rails, and how each is settled. */
export function createRails(options: RailOptions): SellerRails {
  const { facilitator, payTo, maxTimeoutSeconds, card, now } = options;
  const exact = { facilitator, payTo, maxTimeoutSeconds, feePayer: feePayerOf(facilitator) };
  const stripe = stripeClient(card.url, card.secretKey);
  const find = findSettled(options);
  const [evm, svm] = [exactRail({ ...exact, network: EVM_NETWORK, version: 2 }), exactRail({ ...exact, network: SOLANA_NETWORK, version: 2 })];
  const renamed = (rail: PaymentRail, id: RailName): PaymentRail => ({ ...rail, id, offer: async (request) => ({ ...(await rail.offer(request)), rail: id }) });
  const rails: Record<RailName, PaymentRail> = {
    'exact-evm-v1': exactRail({ ...exact, network: EVM_NETWORK, version: 1 }),
    'exact-svm-v1': exactRail({ ...exact, network: SOLANA_NETWORK, version: 1 }),
    'exact-evm-v2': evm,
    'exact-svm-v2': svm,
    'settled-evm-v2': settledFirst(renamed(evm, 'settled-evm-v2'), find),
    'settled-svm-v2': settledFirst(renamed(svm, 'settled-svm-v2'), find),
    [MPX_EXACT]: mpxExactRail(exact),
    [DEV_SIGNATURE]: devSignatureRail({ secret: options.devSecret, payTo: payTo.evm }),
    [STRIPE_CARD]: stripeCardRail({ stripe, publishableKey: card.publishableKey, payTo: card.account }),
    [EVM_CHARGE]: evmChargeRail({ facilitator, payTo: payTo.evm, realm: REALM }),
    [TRANSFER_SVM]: transferRail({ rpcUrl: options.solanaRpcUrl, payTo: payTo.solana, maxAgeMs: TRANSFER_MAX_AGE_MS, now }),
  };
  const collect = facilitatorSettlement(facilitator);
  const settledOrCollect = settleUnlessSettled(collect, find);
  const settlements: Record<RailName, Settlement> = {
    'exact-evm-v1': collect,
    'exact-svm-v1': collect,
    'exact-evm-v2': collect,
    'exact-svm-v2': collect,
    'settled-evm-v2': settledOrCollect,
    'settled-svm-v2': settledOrCollect,
    [MPX_EXACT]: mpxCollect(collect),
    [DEV_SIGNATURE]: devSettlement,
    [STRIPE_CARD]: stripeCapture(stripe),
    [EVM_CHARGE]: evmChargeSettlement(facilitator),
    [TRANSFER_SVM]: prepaidSettlement,
  };
  return { rails, settle: settleBy(settlements) };
}

/** The network of a rail; undefined where it pays on none. */
export function networkOf(rail: RailName): SandboxNetwork | undefined {
  if (rail === DEV_SIGNATURE || rail === STRIPE_CARD) return undefined;
  return rail.includes('svm') ? SOLANA_NETWORK : EVM_NETWORK;
}

// The chain id is MPX's addition; the facilitator takes x402's members only.
const mpxCollect =
  (collect: Settlement): Settlement =>
  (payment) => {
    const { chainId: _chainId, ...terms } = payment.offer.terms;
    return collect({ ...payment, offer: { ...payment.offer, terms } });
  };

/** The facilitator's account for Solana fees, asked for once. */
function feePayerOf(facilitator: FacilitatorClient): () => Promise<string> {
  let known: string | undefined;
  return async () => {
    if (known !== undefined) return known;
    const { kinds } = await facilitator.supported();
    const kind = kinds.find(({ network, scheme, x402Version }) => network === SOLANA_NETWORK && scheme === 'exact' && x402Version === 2);
    const named = kind?.extra?.['feePayer'];
    if (typeof named !== 'string') throw new BursarError('SETTLEMENT_FAILED', 'The facilitator names no fee payer for Solana.');
    known = named;
    return named;
  };
}
