import { member, parseJson, RawNumber } from '../../core/json/json.ts';
import { BursarError } from '../../shared/errors/errors.ts';

const DECIMAL = /^(0|[1-9]\d{0,77})(?:\.(\d{1,77}))?$/;

/**
 * The amount of a send in whole tokens, written one way: `1.50` and `1.5` are the same order. Throws `AMOUNT_INVALID` for what is no plain decimal number
 * above zero.
 */
export function canonicalAmount(text: string): string {
  const given = text.trim();
  const refused = (why: string) => new BursarError('AMOUNT_INVALID', `The amount "${given.slice(0, 90)}" ${why}.`);
  if (given.startsWith('-')) throw refused('is below zero');
  const [match, whole = '', fraction = ''] = DECIMAL.exec(given) ?? [];
  if (match === undefined) throw refused('is not a decimal number');
  const kept = fraction.replace(/0+$/, '');
  if (/^0*$/.test(whole + kept)) throw refused('is nothing: it has to be more than zero');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/**
 * The amount in a tool's arguments, a decimal in a string or a JSON number, digit for digit as it was written. A number that programs on the
 * way may have rounded already is refused. Throws `AMOUNT_INVALID`.
 */
export function amountArgument(argumentsText: string): string {
  const amount = member(parseJson(argumentsText), 'amount');
  if (typeof amount === 'string') return canonicalAmount(amount);
  if (typeof amount === 'number') return canonicalAmount(plain(amount));
  if (amount instanceof RawNumber) {
    const { source } = amount;
    const isPadded = DECIMAL.test(source) && canonicalAmount(source) === plain(Number(source));
    if (isPadded) return canonicalAmount(source);
    throw new BursarError('AMOUNT_INVALID', `The amount ${source.slice(0, 90)} is a number that cannot be carried exactly.`, { hint: 'Give the amount as a string, such as "1.50".' });
  }
  throw new BursarError('AMOUNT_INVALID', 'The amount is missing.', { hint: 'Give the amount as a string, such as "1.50".' });
}

/** Numbers too large or too small for plain digits come with an exponent, which is no decimal. */
const plain = (amount: number): string => String(amount);
