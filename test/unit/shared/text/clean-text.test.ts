import { expect, test } from 'vitest';
import { cleanText } from '../../../../src/shared/text/clean-text.ts';

const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

test.each([
  0x00, 0x1b, 0x7f, 0x9f, // controls
  0xad, 0x61c, 0x200b, 0x200d, 0x200e, 0x202e, 0x2066, 0x2069, 0xfeff, 0xfff9, 0x110bd, 0xe0041, // format characters, overrides, tags
  0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xe0100, // ignorable: fillers and variation selectors
  0xe000, 0xf0000, 0xfffe, 0xfdd0, 0xd800, 0xdfff, // private, never assigned, unpaired
].map((code) => [named(code), String.fromCodePoint(code)]))('%s is shown, which nobody can see', (_name, character) => {
  expect(cleanText(`pay${character}ee`)).toBe('payee');
});

test.each([0x20, 0x09, 0xa0, 0x1680, 0x2000, 0x2003, 0x2007, 0x2009, 0x202f, 0x205f, 0x3000, 0x2800, 0x1d159].map((code) => [named(code), String.fromCodePoint(code)]))('%s sets words apart otherwise than a space does', (_name, space) => {
  expect(cleanText(`two${space}words`)).toBe('two words');
});

test.each([['LF', '\n'], ['CRLF', '\r\n'], ['CR', '\r'], ['VT', '\v'], ['U+0085', '\u0085'], ['U+2028', '\u2028'], ['U+2029', '\u2029']])('%s begins a line in one place and none in another', (_name, separator) => {
  expect(cleanText(`one${separator}two`)).toBe('one\ntwo');
});

test('words of other scripts, combined letters or emoji are lost', () => {
  for (const text of ['日本語のツール', 'прогноз погоды', 'توقعات الطقس', 'e\u0301tude', 'हिन्दी', '🌧 12 °C', 'İstanbul', '{\n  "a": 1\n}']) expect(cleanText(text)).toBe(text);
});

test('a text is cut within a character, or not at all', () => {
  expect(cleanText('🌧'.repeat(4), 3)).toBe('🌧🌧🌧…');
  expect(cleanText(`${'\u3164'.repeat(600)}x`)).toBe('x');
});
