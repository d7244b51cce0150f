import type { Challenge, Offer, Receipt } from '../challenges/dialect.ts';
import { sameAddress, signedOffers, signedReceipt, signsOffer, type SignedArtifact } from '../challenges/offer-receipt.ts';
import { textOf } from '../challenges/answer.ts';
import type { Signatures } from '../ports.ts';
import type { Terms } from './terms.ts';

/** What a server's own signatures say of what it asks or says (x402 extension `offer-receipt`). They are evidence, and no reason to trust. */
export interface Finding {
  /** One sentence for the payment's timeline. */
  readonly note: string;
  /** Why the owner is to be asked; empty where nothing is against it. */
  readonly mustAsk: string;
}

/** Checks the signed offers of a challenge against the one that is to be paid. Undefined where it has none. `now` in ms. */
export async function checkSignedOffer(signatures: Signatures, challenge: Challenge, offer: Offer, now: number): Promise<Finding | undefined> {
  const { artifacts, unreadable } = signedOffers(challenge.source);
  if (artifacts.length + unreadable === 0) return undefined;
  const artifact = artifacts.find((candidate) => signsOffer(candidate, offer, challenge));
  if (!artifact) {
    return artifacts.length > 0
      ? { note: 'The server signed offers, and none of them is the one that is paid.', mustAsk: 'Asks because the server signed other terms than it asks for' }
      : { note: 'The server\'s signed offers cannot be read.', mustAsk: '' };
  }

  const { words, isFalse } = await describe(signatures, artifact, offer.payee);
  if (isFalse) return { note: words, mustAsk: 'Asks because the server\'s signature on its offer is not valid' };
  const until = artifact.payload.get('validUntil');
  const hasExpired = typeof until === 'number' && until > 0 && now > until * 1000;
  return { note: words, mustAsk: hasExpired ? 'Asks because the server\'s signed offer has expired' : '' };
}

/** What the signed receipt in a settlement says of this payment. Undefined where there is none. */
export async function checkSignedReceipt(signatures: Signatures, receipt: Receipt, terms: Terms): Promise<string | undefined> {
  const artifact = signedReceipt(receipt.source);
  if (artifact === undefined) return undefined;
  if (artifact === 'unreadable') return 'The server\'s signed receipt cannot be read.';
  const { words } = await describe(signatures, artifact, terms.payee);
  const { payload } = artifact;
  const isOurs = textOf(payload.get('network')) === terms.network && sameAddress(textOf(payload.get('payer')), terms.payer);
  return isOurs ? words : `It names another network or payer than this payment. ${words}`;
}

async function describe(signatures: Signatures, artifact: SignedArtifact, payee: string): Promise<{ words: string; isFalse: boolean }> {
  const signer = await signatures.signerOf(artifact);
  const thing = artifact.kind === 'offer' ? 'offer' : 'receipt';
  switch (signer.state) {
    case 'false':
      return { words: `The signature on the server's ${thing} is not valid.`, isFalse: true };
    case 'unknown':
      return { words: `The signature on the server's ${thing} was not checked: ${signer.why}.`, isFalse: false };
    case 'signed': {
      const isPayee = signer.addresses.some((address) => sameAddress(address, payee));
      const key = signer.name.slice(0, 200);
      return { words: isPayee ? `The server's ${thing} is signed with the payee's own key.` : `The server's ${thing} is signed by ${key}; whether that is a key of this server was not checked.`, isFalse: false };
    }
  }
}
