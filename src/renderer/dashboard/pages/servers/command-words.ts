/** A command line in words, or what is wrong with it. */
export type CommandWords = { readonly words: readonly string[] } | { readonly problem: 'empty' | 'open' };

/**
 * Splits a command as a person types it: at spaces, with '…' taken as it is, "…" in which \" and \\ stand for the sign, and a backslash before a space, a
 * quotation mark or another backslash. Other backslashes stay, as in the paths of Windows. Nothing is replaced: no variables, no `~`, no `*`.
 */
export function commandWords(text: string): CommandWords {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === '\\' && quote !== "'" && next !== '' && (quote === '"' ? '"\\' : ' "\'\\').includes(next)) {
      word = `${word ?? ''}${next}`;
      at += 1;
    } else if (quote !== '' && character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = `${word ?? ''}${character}`;
  }
  if (quote !== '') return { problem: 'open' };
  if (word !== undefined) words.push(word);
  return words.length === 0 || words[0] === '' ? { problem: 'empty' } : { words };
}

/** True for signs that a shell would act on. */
export const looksLikeShell = (text: string): boolean => /[|<>&;$`]|(?:^|\s)~/.test(text);
