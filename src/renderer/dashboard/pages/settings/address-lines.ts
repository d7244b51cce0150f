import { networkTexts as texts } from '../../../texts/settings.ts';

/** Most addresses that one list may have. */
const MOST = 10;

/** The addresses of a text, one a line. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What is wrong with the addresses of a text; undefined where they can be used. */
export function problemOf(text: string): string | undefined {
  const lines = linesOf(text);
  if (lines.length === 0) return texts.noAddress;
  if (lines.length > MOST) return texts.tooMany;
  const wrong = lines.find((line) => !/^https?:\/\/[^\s/]/i.test(line) || !URL.canParse(line));
  return wrong === undefined ? undefined : texts.wrongAddress(wrong.slice(0, 100));
}
