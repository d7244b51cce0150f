/** Who is to get the money. */
export type SendTarget = { readonly kind: 'address'; readonly address: string } | { readonly kind: 'contact'; readonly number: number };

/** What is to be sent. */
export interface SendTerms {
  /** Whole tokens, as `canonicalAmount` writes them. */
  readonly amount: string;
  /** Symbol of a token, or of a network's coin. */
  readonly token: string;
  /** CAIP-2; whichever network fits without it. */
  readonly network?: string;
  readonly memo: string;
}

/** A send, as it was asked for. */
export interface SendRequest {
  /** One of Bursar's own tools; rules of the owner name it. */
  readonly tool: string;
  readonly to: SendTarget;
  readonly terms: SendTerms;
  readonly byOwner: boolean;
  /** Address of the account that has to pay. */
  readonly from?: string;
}

export const DEFAULT_TOKEN = 'USDC';

/** An order as its tool takes it, in one form alone: equal orders have equal texts, whatever way they were written in. */
export function writtenAs(to: SendTarget, { amount, token, network, memo }: SendTerms): string {
  return JSON.stringify({
    ...(to.kind === 'address' ? { address: to.address } : { contact_number: to.number }),
    amount,
    memo,
    ...(token !== DEFAULT_TOKEN && { token }),
    ...(network !== undefined && { network }),
  });
}
