/**
 * Makes a text of a server or client safe to show (design, "Renderer"). What cannot be seen goes, by the properties that Unicode gives it:
 * control and format characters (so every bidirectional override), what is ignorable by default (fillers, variation selectors, tags), private
 * and unpaired code points. Separators of any width become a plain space, those of lines and paragraphs a line break. What is over `limit`
 * characters is cut off.
 */
export function cleanText(text: string, limit = 500): string {
  const visible = text
    .replace(LINE_BREAKS, '\n')
    .replace(/\t/g, ' ')
    .replace(SPACES, ' ')
    .replace(UNSEEN, '');
  const characters = Array.from(visible);
  return characters.length > limit ? `${characters.slice(0, limit).join('')}…` : visible;
}

const LINE_BREAKS = /\r\n?|[\v\f\u0085\p{Zl}\p{Zp}]/gu;

/** With two that draw nothing although Unicode calls them symbols: the empty Braille pattern and the null notehead. */
const SPACES = /[\p{Zs}\u2800\u{1d159}]/gu;

const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;
