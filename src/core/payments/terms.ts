import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { BaseUnits } from '../../shared/money/money.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { NetworkId } from '../registry/networks.ts';

/**
 * How a rail moves money: `authorize` hands out a signed permission that the seller settles, `prepay` sends before the retry,
 * `hold` blocks an amount on a card.
 */
export type Flow = 'authorize' | 'prepay' | 'hold';

/**
 * What an approval binds (design, "Terms and instance"). Equal terms have equal digests; request ids, expiry, blockhash and nonce
 * are of the instance and may be refreshed under the same terms.
 */
export interface Terms {
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  /** SHA-256 of the canonical JSON of the arguments, hex. */
  readonly argumentsHash: string;
  readonly dialect: string;
  readonly scheme: string;
  readonly network: NetworkId;
  /** Address as the token registry writes it. */
  readonly asset: string;
  readonly amount: BaseUnits;
  readonly payee: string;
  /** Address of the paying account. */
  readonly payer: string;
  readonly flow: Flow;
  /** A text that the server chose and the payment carries on its chain; absent where Bursar chooses one, or none is there. */
  readonly memo?: string;
}

const hash = (domain: string, text: string): string => bytesToHex(sha256(utf8ToBytes(`${domain}\n${text}`)));

/** SHA-256 of the canonical JSON of a call's arguments, hex. */
export const argumentsHash = (argumentsText: string): string => hash('bursar arguments v1', canonicalJson(argumentsText));

/** The digest that approval, journal and `decide` carry: over the canonical JSON of the terms, which are texts alone. */
export const termsDigest = (terms: Terms): string => hash('bursar terms v1', JSON.stringify({ ...terms, amount: terms.amount.toString() }, Object.keys(terms).toSorted()));

/** Identity of a call for dedupe (design, "Dedupe"): nothing from the challenge, whose ids differ each time. */
export const callKey = (call: { client: string; upstream: string; tool: string; argumentsHash: string }): string =>
  hash('bursar call v1', JSON.stringify([call.client, call.upstream, call.tool, call.argumentsHash]));
