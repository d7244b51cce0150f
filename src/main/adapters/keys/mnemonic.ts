import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { BursarError } from '../../../shared/errors/errors.ts';

/** Numbers of words that BIP-39 knows: 128 to 256 bits of entropy. */
const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24];

const KNOWN: ReadonlySet<string> = new Set(wordlist);

/** How many words of the list a wrong one is compared with in its error. */
const MOST_NEAR = 3;

/** The words of an entropy, in order. */
export const wordsOf = (entropy: Uint8Array): readonly string[] => entropyToMnemonic(entropy, wordlist).split(' ');

/**
 * Reads the words of a wallet: English BIP-39, in any case, between any white space, numbers in front of them allowed (`1. abandon`). Returns the entropy, for the
 * caller to wipe. Throws `MNEMONIC_INVALID` naming the place of each word that is not in the list with the words near it, or that they are of another language where most are not, and
 * `MNEMONIC_CHECKSUM` where all are words of the list and do not belong together. No error repeats what was typed.
 */
export function parseMnemonic(text: string): Uint8Array {
  const words = text.normalize('NFKD').toLowerCase().split(/[\s,;]+/).map((word) => word.replace(/^\d+[.):]?/, '')).filter(Boolean);
  const wrong = words.flatMap((word, index) => (KNOWN.has(word) ? [] : [{ place: index + 1, near: nearWords(word) }]));
  if (wrong.length > 1 && wrong.length * 2 > words.length) throw otherLanguage(wrong.length, words.length);
  if (wrong.length > 0) throw unknownWords(wrong);
  if (!WORD_COUNTS.includes(words.length)) {
    throw new BursarError('MNEMONIC_INVALID', `It has ${words.length} words, and a wallet has 12, 15, 18, 21 or 24.`, { context: { words: String(words.length) } });
  }
  try {
    return mnemonicToEntropy(words.join(' '), wordlist);
  } catch {
    throw new BursarError('MNEMONIC_CHECKSUM', 'All words are in the list, and they do not belong together: one is another word of the list, or two changed places.');
  }
}

/** Lists of two languages share few words: most of them wrong is no typo. */
const otherLanguage = (wrong: number, all: number): BursarError =>
  new BursarError('MNEMONIC_INVALID', `${wrong} of the ${all} words are not in the English list of BIP-39 words, which is the one that Bursar reads.`, {
    context: { wrong: String(wrong) },
    hint: 'Words of another language open in the wallet that they came from: import the keys that it exports. Nothing was changed.',
  });

interface WrongWord {
  /** From 1. */
  readonly place: number;
  readonly near: readonly string[];
}

function unknownWords(wrong: readonly WrongWord[]): BursarError {
  const [first] = wrong;
  const places = wrong.map(({ place }) => String(place));
  const near = wrong.length === 1 ? (first?.near ?? []) : [];
  const which = places.length === 1 ? `Word ${places[0]} is` : `Words ${places.slice(0, -1).join(', ')} and ${places.at(-1)} are`;
  return new BursarError('MNEMONIC_INVALID', `${which} not in the list of BIP-39 words${near.length > 0 ? `; near it are ${near.join(', ')}` : ''}.`, {
    context: { places: places.join(','), ...(near.length > 0 && { near: near.join(',') }) },
  });
}

/** Words of the list that a typo is likely to come from: the first four letters tell all words of the list apart. */
function nearWords(word: string): readonly string[] {
  const start = word.slice(0, 4);
  return wordlist
    .map((known) => ({ known, distance: known.slice(0, 4) === start ? 0 : editDistance(word, known) }))
    .filter(({ distance }) => distance <= 2)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST_NEAR)
    .map(({ known }) => known);
}

/** Letters put in, left out, replaced, or swapped with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, beforeLast[j - 2]! + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
