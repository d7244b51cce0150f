/** What draws nothing, changes the direction of what follows, or looks like a plain space and is none. */
const NOT_SEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]|(?! )\p{Zs}/gu;

/** A text in which each character that nobody sees is written out, as `\u{202e}`: what will be used is on screen, all of it. */
export const shownExactly = (text: string): string => text.replace(NOT_SEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** True where {@link shownExactly} has something to write out. */
export const hidesCharacters = (text: string): boolean => shownExactly(text) !== text;
