import { skipValue, walkObject, type Span } from './json-text.ts';

/** Puts `text` in the place of `start..end`; where both are equal it inserts. */
export interface Edit extends Span {
  readonly text: string;
}

/**
 * The only writer of the data path: returns the text with every edit applied. Edits may come in any order and must not
 * overlap; insertions at one position keep their order.
 */
export function splice(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const ordered = edits.map((edit, order) => ({ edit, order })).toSorted((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order);
  let result = '';
  let at = 0;
  for (const { edit } of ordered) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length) throw new RangeError('edits overlap or lie outside of the text');
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/**
 * The edits that set members of the object in `object`: an existing value is replaced (every one, where the key is
 * repeated), a missing one is added at the end.
 *
 * @param members Raw JSON values by plain key.
 */
export function setMembers(text: string, object: Span, members: Readonly<Record<string, string>>): Edit[] {
  const edits: Edit[] = [];
  const found = new Set<string>();
  let empty = true;
  walkObject(text, object.start, (key, _keyStart, valueStart) => {
    empty = false;
    const end = skipValue(text, valueStart);
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    if (value !== undefined) {
      found.add(key);
      edits.push({ start: valueStart, end, text: value });
    }
    return end;
  });
  const added = Object.entries(members).filter(([key]) => !found.has(key)).map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
  const last = object.end - 1;
  if (added !== '') edits.push({ start: last, end: last, text: empty ? added : `,${added}` });
  return edits;
}

/** A JSON object with these raw members. */
export const objectOf = (members: Readonly<Record<string, string>>): string =>
  `{${Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
