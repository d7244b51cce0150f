import { BursarError } from '../../shared/errors/errors.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Account } from '../../core/ports.ts';
import type { Asset } from '../../core/registry/assets.ts';

/** Throws `PROOF_MISMATCH`, naming the first of the given facts that is not so. */
export function requireFacts(facts: Readonly<Record<string, boolean>>): void {
  for (const [name, holds] of Object.entries(facts)) {
    if (!holds) throw new BursarError('PROOF_MISMATCH', `What was about to be sent has another ${name} than what was approved.`, { context: { field: name } });
  }
}

/** The offer is echoed to the server beside the proof, so it must say what the terms say. Throws `PROOF_MISMATCH`. */
export function requireSameTerms(terms: Terms, offered: { readonly offer: Offer; readonly payee: string; readonly memo?: string; readonly asset: Asset; readonly account: Account }): void {
  const { offer, payee, memo, asset, account } = offered;
  requireFacts({
    scheme: offer.scheme === terms.scheme,
    network: offer.network === terms.network && asset.network === terms.network,
    asset: asset.address === terms.asset,
    amount: offer.amount === terms.amount.toString(),
    payee: payee === terms.payee,
    payer: account.address === terms.payer,
    memo: memo === terms.memo,
  });
}

/** Flows in which the server gets the signed transfer and nothing else: it settles that when it delivers, or before it begins. */
const AUTHORIZATION_FLOWS: readonly string[] = ['authorization', 'upfront'];

/** Throws `FLOW_UNSUPPORTED` for a payment flow in which a signed transfer is not all that the payer gives. */
export function requireAuthorizationFlow(offer: Offer): void {
  if (!AUTHORIZATION_FLOWS.includes(offer.paymentFlow)) {
    throw new BursarError('FLOW_UNSUPPORTED', `It wants the payment flow "${offer.paymentFlow.slice(0, 40)}", which this wallet does not know.`);
  }
}
