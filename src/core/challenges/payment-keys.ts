import { member } from '../json/json.ts';
import type { ToolListing } from './answer.ts';

/** Where a tool's dialects carry proofs: names of arguments, and keys of `_meta`. */
export interface PaymentKeys {
  readonly arguments: readonly string[];
  readonly meta: readonly string[];
}

const NONE: PaymentKeys = { arguments: [], meta: [] };
const TRANSFER_PROOF: PaymentKeys = { arguments: ['_payment'], meta: [] };
const MPX: PaymentKeys = { arguments: ['payment_authorization'], meta: ['mpx/v1.authorization'] };
const MPP: PaymentKeys = { arguments: [], meta: ['org.paymentauth/credential'] };
const X402: PaymentKeys = { arguments: [], meta: ['x402/payment', 'x402.payment'] };

/** Every argument that carries a proof in some dialect. */
export const PAYMENT_ARGUMENTS: readonly string[] = [...TRANSFER_PROOF.arguments, ...MPX.arguments];

/**
 * The keys that only Bursar writes for a tool: those of the dialects in which it asked for money, and of the one that its listed price belongs
 * to. None for any other tool, because an argument of such a name may be its own (wire-formats section 0.7; I8).
 */
export function paymentKeys({ listing, dialects }: { readonly listing?: ToolListing; readonly dialects: readonly string[] }): PaymentKeys {
  const known = [...dialects.map(keysOfDialect), ...(listing ? keysOfListing(listing) : [])];
  if (known.length === 0) return NONE;
  const union = (of: 'arguments' | 'meta') => [...new Set(known.flatMap((keys) => keys[of]))];
  return { arguments: union('arguments'), meta: union('meta') };
}

function keysOfDialect(dialect: string): PaymentKeys {
  if (dialect === 'transfer-proof') return TRANSFER_PROOF;
  if (dialect === 'mpx') return MPX;
  if (dialect === 'mpp' || dialect === 'mpp-http') return MPP;
  return dialect.startsWith('x402') ? X402 : NONE;
}

function keysOfListing(listing: ToolListing): PaymentKeys[] {
  const meta = listing.get('_meta');
  const isX402 = [member(meta, 'x402'), member(meta, 'agents-x402/priceUSD'), member(listing.get('annotations'), 'paymentPriceUSD')].some((price) => price !== undefined);
  return [...(member(listing.get('payment'), 'required') === true ? [TRANSFER_PROOF] : []), ...(isX402 ? [X402] : [])];
}
