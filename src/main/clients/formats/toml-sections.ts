/** A `[table]` of a TOML text, from its header to the next one. */
export interface TomlSection {
  /** The header as written, with brackets and a comment after them. */
  readonly header: string;
  readonly start: number;
  /** Where its last key or its header ends, line break included: comments and blank lines before the next header are not its own. */
  readonly end: number;
}

const QUOTES = ['"""', "'''", '"', "'"] as const;

/** The offset after the string that begins here. A text that ends within it ends it. */
function skipString(text: string, from: number): number {
  const quote = QUOTES.find((mark) => text.startsWith(mark, from)) ?? '"';
  let at = from + quote.length;
  while (at < text.length) {
    if (quote.startsWith('"') && text[at] === '\\') at += 2;
    else if (text.startsWith(quote, at)) {
      at += quote.length;
      // Up to two quotes more belong to a string of three.
      while (quote.length === 3 && text[at] === quote[0]) at += 1;
      return at;
    } else at += 1;
  }
  return text.length;
}

/** The offset after the logical line that begins here: arrays, inline tables and strings may run over several. */
function lineEnd(text: string, from: number, nests: boolean): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '#') {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
    } else if (character === '"' || character === "'") at = skipString(text, at);
    else {
      if (nests && (character === '[' || character === '{')) depth += 1;
      if (nests && (character === ']' || character === '}')) depth -= 1;
      at += 1;
      if (character === '\n' && depth <= 0) return at;
    }
  }
  return text.length;
}

/** The tables of a valid TOML text, in their order. What stands before the first header belongs to none. */
export function tomlSections(text: string): readonly TomlSection[] {
  const sections: TomlSection[] = [];
  let at = 0;
  while (at < text.length) {
    const stop = text.indexOf('\n', at);
    const first = text.slice(at, stop < 0 ? text.length : stop).trimStart()[0];
    const isHeader = first === '[';
    const end = lineEnd(text, at, !isHeader);
    if (isHeader) sections.push({ header: text.slice(at, end).trim(), start: at, end });
    else if (first !== undefined && first !== '#') {
      const last = sections.pop();
      if (last) sections.push({ ...last, end });
    }
    at = end;
  }
  return sections;
}
