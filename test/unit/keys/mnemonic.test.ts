import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMnemonic, wordsOf } from '../../../src/main/adapters/keys/mnemonic.ts';
import { isBursarError } from '../../../src/shared/errors/errors.ts';

const TWELVE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const refusal = (text: string) => {
  try {
    parseMnemonic(text);
  } catch (error) {
    if (isBursarError(error)) return error;
    throw error;
  }
  throw new Error('it was taken');
};

describe('words of a wallet', () => {
  // The vectors of BIP-39 (Trezor).
  it.each([
    ['00000000000000000000000000000000', `${'abandon '.repeat(11)}about`],
    ['7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f', TWELVE],
    ['ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', `${'zoo '.repeat(23)}vote`],
    ['68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c', 'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length'],
  ])('are read as another wallet than every other program reads (%s)', (entropy, words) => {
    expect(Buffer.from(parseMnemonic(words)).toString('hex')).toBe(entropy);
    expect(wordsOf(Buffer.from(entropy, 'hex')).join(' ')).toBe(words);
  });

  it('are refused for how they were typed', () => {
    const typed = TWELVE.split(' ').map((word, index) => `${index + 1}. ${word.toUpperCase()}`).join('\n');
    expect(parseMnemonic(` ${typed} `)).toEqual(parseMnemonic(TWELVE));
  });

  it('do not say which word is wrong, or repeat what was typed (I6)', () => {
    const one = refusal(TWELVE.replace('sausage', 'sausgae'));
    expect(one).toMatchObject({ code: 'MNEMONIC_INVALID', context: { places: '6' } });
    expect(one.message).toMatch(/^Word 6 is not in the list of BIP-39 words; near it are sausage/);
    expect(refusal(TWELVE.replace('useful', 'usefull')).context).toMatchObject({ places: '8', near: expect.stringMatching(/^useful/) });
    const two = refusal(TWELVE.replace('winner', 'winer').replace('wave', 'qqqqqq'));
    expect(two.message).toBe('Words 2 and 5 are not in the list of BIP-39 words.');
    for (const { message, hint, context } of [one, two]) expect(JSON.stringify([message, hint, context])).not.toMatch(/sausgae|winer|qqqqqq/);
  });

  it('of another language are called typos, word by word', () => {
    const spanish = 'ábaco abdomen abeja abierto abogado abono aborto abrazo abrir abuelo abuso acabar';
    const japanese = 'あいこくしん あいさつ あいだ あおぞら あかちゃん あきる あけがた あける あこがれる あさい あさひ あしあと'.replaceAll(' ', '\u3000');
    for (const words of [spanish, japanese]) {
      const error = refusal(words);
      expect(error).toMatchObject({ code: 'MNEMONIC_INVALID', message: expect.stringContaining('of the 12 words are not in the English list'), hint: expect.stringContaining('another language') });
      expect(JSON.stringify([error.message, error.hint, error.context])).not.toMatch(/abeja|あい/);
    }
  });

  it('take a wrong word of the list, two that changed places, or too few', () => {
    expect(refusal(TWELVE.replace('sausage', 'saddle')).code).toBe('MNEMONIC_CHECKSUM');
    expect(refusal('winner legal thank year wave sausage worth useful legal winner thank yellow').code).toBe('MNEMONIC_CHECKSUM');
    expect(refusal(TWELVE.split(' ').slice(1).join(' '))).toMatchObject({ code: 'MNEMONIC_INVALID', context: { words: '11' } });
    expect(refusal('').context).toEqual({ words: '0' });
  });

  it('find no near word for a typo of any kind', () => {
    const words = entropyToMnemonic(new Uint8Array(16).fill(9), wordlist).split(' ');
    for (const [index, word] of words.entries()) {
      for (const typo of [word.slice(1), `${word}x`, `q${word.slice(1)}`, word[1]! + word[0]! + word.slice(2)]) {
        if (wordlist.includes(typo)) continue;
        const error = refusal(words.with(index, typo).join(' '));
        expect([typo, error.context['places'], error.context['near']]).toEqual([typo, String(index + 1), expect.stringContaining('')]);
      }
    }
  });

  it('throw something else than an error of ours, or take what is no wallet', () => {
    const word = fc.oneof(fc.constantFrom(...wordlist.slice(0, 40)), fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.constantFrom(' ', '\n', '\u3000', ', '), (typed, joint) => {
        let entropy: Uint8Array;
        try {
          entropy = parseMnemonic(typed.join(joint));
        } catch (error) {
          if (!isBursarError(error)) throw error;
          expect(['MNEMONIC_INVALID', 'MNEMONIC_CHECKSUM']).toContain(error.code);
          return;
        }
        expect(parseMnemonic(wordsOf(entropy).join(' '))).toEqual(entropy);
      }),
      { numRuns: 200 },
    );
  });
});
