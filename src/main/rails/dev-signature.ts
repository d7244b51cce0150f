import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits, parseUnits } from '../../shared/money/money.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import { isObject, parseJson } from '../../core/json/json.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Rail } from '../../core/ports.ts';
import { findAsset, type Asset } from '../../core/registry/assets.ts';
import { requireFacts, requireSameTerms } from './offer-terms.ts';

/** Far enough that the journal never takes the token for expired; it does not expire at all. */
const LIVES_MS = 365 * 24 * 60 * 60_000;
const MAX_PAYEE = 256;

/**
 * MPX `dev-signature` (wire-formats section 5), for play money: an HMAC over the terms under a secret that seller and payer share. It has
 * no nonce, so that it is a bearer token for all equal terms: it counts as settled from the moment it is signed.
 */
export const createDevSignature = ({ keys }: { readonly keys: Keys }): Rail => ({
  id: 'dev-signature',
  scheme: 'dev-signature',
  namespace: 'dev',
  flow: 'authorize',
  funds: 'none',

  check(offer, asset) {
    if (offer.payee === '' || offer.payee.length > MAX_PAYEE) throw new BursarError('PAYEE_INVALID', 'It does not say who is to be paid.');
    signedText(offer, asset);
    return { payee: offer.payee };
  },

  async sign({ terms, offer, asset, account, now }) {
    requireSameTerms(terms, { offer, payee: offer.payee, asset, account });
    const message = signedText(offer, asset);
    verifyDevText(message, terms);
    const signature = await keys.use(account.id, (secret) => bytesToHex(hmac(sha256, secret, utf8ToBytes(message))));
    return { payloadText: JSON.stringify({ signature }), track: { kind: 'dev-signature', signature }, outstandingUntil: now + LIVES_MS };
  },

  // The token buys again whatever has equal terms, so that its hash alone stands where transactions are shown.
  observe: async (_terms, { signature = '' }) => ({ state: 'settled', transaction: `dev-${bytesToHex(sha256(utf8ToBytes(signature))).slice(0, 32)}`, final: true }),
});

/** The text that is signed, with its members in this very order. The amount is the server's own writing (`1.50`), where it gives one. */
export function signedText(offer: Pick<Offer, 'payee' | 'amount' | 'extra'>, asset: Asset): string {
  const units = BigInt(offer.amount);
  const wanted = offer.extra.get('amount');
  const amount = typeof wanted === 'string' ? wanted : formatUnits(units, asset.decimals, 2);
  const currency = offer.extra.get('currency') ?? asset.symbol;
  const decimals = offer.extra.get('decimals') ?? asset.decimals;
  if (typeof currency !== 'string' || currency.toLowerCase() !== asset.address || decimals !== asset.decimals) {
    throw new BursarError('ASSET_MISMATCH', `The offer describes ${asset.symbol} otherwise than the registry does.`);
  }
  if (parseUnits(amount, asset.decimals) !== units) throw new BursarError('CHALLENGE_MALFORMED', 'The offer asks for two different amounts.');
  return JSON.stringify({ rail: 'dev-signature', payTo: offer.payee, amount, currency, decimals });
}

/** I2: reads the text that is about to be signed and compares it with the terms. Throws `PROOF_MISMATCH`. */
export function verifyDevText(message: string, terms: Terms): void {
  const read = parseJson(message);
  const asset = findAsset(terms.network, terms.asset);
  const value = (name: string) => (isObject(read) ? read.get(name) : undefined);
  const [amount, currency] = [value('amount'), value('currency')];
  requireFacts({
    'set of members': isObject(read) && [...read.keys()].join() === 'rail,payTo,amount,currency,decimals',
    rail: value('rail') === 'dev-signature',
    payee: value('payTo') === terms.payee,
    asset: asset !== undefined && typeof currency === 'string' && currency.toLowerCase() === terms.asset && value('decimals') === asset.decimals,
    amount: asset !== undefined && typeof amount === 'string' && parseUnits(amount, asset.decimals) === terms.amount,
  });
}
