import type { ErrorCode } from '../../shared/errors/codes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Challenge, Offer } from '../challenges/dialect.ts';

/** One way to pay that a server offered, and what became of it. All texts but `why` are the server's. */
export interface ConsideredOffer {
  readonly scheme: string;
  readonly network: string;
  readonly asset: string;
  /** Base units as the server wrote them. */
  readonly amount: string;
  readonly payee: string;
  readonly taken: boolean;
  /** Why it was not taken; empty for the one that was. */
  readonly code: ErrorCode | '';
  readonly why: string;
}

/** What became of an offer: taken, refused, or fit to be paid but behind another one. */
export type Fate = 'taken' | 'behind' | BursarError;

/** Every offer of a challenge in the server's order, then what could not be read at all. */
export function consider({ offers, unreadable }: Challenge, fateOf: (offer: Offer) => Fate): readonly ConsideredOffer[] {
  return [
    ...offers.map((offer) => ({ ...written(offer), ...told(fateOf(offer)) })),
    ...unreadable.map((why) => ({ scheme: '', network: '', asset: '', amount: '', payee: '', taken: false, code: 'CHALLENGE_MALFORMED' as const, why: cut(why, 300) })),
  ];
}

/** No offer can be paid; holds what was found about each. */
export class NoOfferError extends BursarError {
  readonly considered: readonly ConsideredOffer[];
  constructor(error: BursarError, considered: readonly ConsideredOffer[]) {
    super(error.code, error.message, { hint: error.hint, context: error.context });
    this.considered = considered;
  }
}

/** The journal's text of them; `[]` is written as nothing. */
export const offersText = (considered: readonly ConsideredOffer[]): string => (considered.length === 0 ? '' : JSON.stringify(considered));

/** Reads what {@link offersText} wrote. */
export const offersOfText = (text: string): readonly ConsideredOffer[] => (text === '' ? [] : (JSON.parse(text) as readonly ConsideredOffer[]));

const written = ({ scheme, network, asset, amount, payee }: Offer) => ({ scheme: cut(scheme, 64), network, asset: cut(asset, 128), amount, payee: cut(payee, 128) });

function told(fate: Fate): Pick<ConsideredOffer, 'taken' | 'code' | 'why'> {
  if (fate === 'taken') return { taken: true, code: '', why: '' };
  if (fate === 'behind') return { taken: false, code: '', why: 'Another one comes first in your order.' };
  return { taken: false, code: fate.code, why: cut(fate.message, 300) };
}

const cut = (text: string, length: number): string => text.slice(0, length);
