import type { JsonObject } from '../json/json.ts';
import type { Asset } from './assets.ts';
import { findNetwork, type NetworkId } from './networks.ts';

/** Letters of other scripts, and digits, that look like a Latin letter. What NFKD takes apart (accents, full width, mathematical) is not listed. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: '\u0430\u03b1\u0251@4', b: '\u0432\u03b2\u044c\u13cf8', c: '\u0441\u03f2\u1d04\u2ca5\u13df', d: '\u0501\u13a0\u1d05\u217e', e: '\u0435\u03b5\u0454\u13ac\u1d073', f: '\u0192\u03dd',
    g: '\u0261\u050d', h: '\u04bb\u043d\u03b7\u13bb', i: '\u0456\u03b9\u0131l1|\u04cf\u217c!', j: '\u0458\u03f3', k: '\u043a\u03ba', m: '\u043c\u03bc\u1d0d', n: '\u0578\u03bd\u0274\u043f', o: '\u043e\u03bf0\u0585\u1d0f',
    p: '\u0440\u03c1', q: '\u051b', r: '\u0433\u0280', s: '\u0455\u03c3$5\ua731\u054f\u0160', t: '\u0442\u03c4\u1d1b\u20ae7', u: '\u057d\u03c5\u1d1c\u0446\u222a\u054d', v: '\u0475', w: '\u0461\u051d\u03c9', x: '\u0445\u03c7', y: '\u0443\u03b3', z: '\u1d22',
  }).flatMap(([letter, looks]) => Array.from(looks, (look) => [look, letter])),
);

/** What a name looks like: two names with the same skeleton are told apart by no reader. */
export const skeleton = (name: string): string =>
  Array.from(name.slice(0, 128).normalize('NFKD').toLowerCase().normalize('NFKD'))
    .filter((letter) => LOOKALIKES[letter] !== undefined || !/[\p{C}\p{M}\p{Z}\p{P}]/u.test(letter))
    .map((letter) => LOOKALIKES[letter] ?? letter)
    .join('');

/**
 * How an offer's token passes itself off as a known one, in words that follow "It"; undefined where it does not. `extra` is what the
 * offer says of the token, which nothing is ever paid by.
 */
export function lookalikeWords({ network, asset, extra }: { readonly network: NetworkId; readonly asset: string; readonly extra: JsonObject }, known: readonly Asset[]): string | undefined {
  const here = known.filter((token) => token.network === network);
  const place = findNetwork(network)?.name ?? network;
  const elsewhere = known.find((token) => token.network !== network && sameText(token.address, asset));
  if (elsewhere) return `wants the token ${asset} on ${place}, which is the address of ${elsewhere.symbol} on ${findNetwork(elsewhere.network)?.name ?? elsewhere.network}`;
  const poisoned = here.find((token) => ends(token.address) === ends(asset));
  if (poisoned) return `wants the token ${asset}, whose address only looks like that of ${poisoned.symbol}, ${poisoned.address}`;
  for (const claim of [extra.get('name'), extra.get('symbol')]) {
    if (typeof claim !== 'string') continue;
    const look = skeleton(claim);
    const isIt = (token: Asset) => [token.symbol, token.name, token.eip712?.name ?? ''].some((name) => name !== '' && skeleton(name) === look);
    const meant = here.find(isIt) ?? known.find(isIt);
    if (meant) {
      const real = meant.network === network ? `${meant.symbol} on ${place} is ${meant.address}` : `no ${meant.symbol} on ${place} is in the registry`;
      return `calls the token ${asset} "${claim.slice(0, 60)}", and ${real}`;
    }
  }
  return undefined;
}

const sameText = (a: string, b: string): boolean => a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase());

/** What people look at of an address. */
const ends = (address: string): string => (address.startsWith('0x') ? `${address.slice(2, 6)}${address.slice(-4)}`.toLowerCase() : `${address.slice(0, 4)}${address.slice(-4)}`);
