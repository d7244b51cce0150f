import { skipValue, stringAt, walkArray, walkObject, type Span } from './json-text.ts';
import type { Edit } from './splice.ts';

/** A member or an element from its first to its last character, without the commas around it. */
interface Item extends Span {
  readonly isCut: boolean;
}

/** The edits that take these members out of the object in `object`, every one where a key is repeated, and leave valid JSON. */
export function cutMembers(text: string, object: Span, names: ReadonlySet<string>): Edit[] {
  const items: Item[] = [];
  walkObject(text, object.start, (key, keyStart, valueStart) => {
    const end = skipValue(text, valueStart);
    items.push({ start: keyStart, end, isCut: names.has(key) });
    return end;
  });
  return cut(items);
}

/** The edits that take these strings out of the array in `array`. */
export function cutStrings(text: string, array: Span, strings: ReadonlySet<string>): Edit[] {
  const items: Item[] = [];
  walkArray(text, array.start, (start) => {
    const end = skipValue(text, start);
    const string = stringAt(text, { start, end });
    items.push({ start, end, isCut: string !== undefined && strings.has(string) });
    return end;
  });
  return cut(items);
}

/** Each cut takes one comma with it: the one before it, or the one behind where nothing before it stays. */
function cut(items: readonly Item[]): Edit[] {
  const edits: Edit[] = [];
  let anyBeforeStays = false;
  for (const [index, { start, end, isCut }] of items.entries()) {
    if (!isCut) anyBeforeStays = true;
    else if (anyBeforeStays) edits.push({ start: items[index - 1]!.end, end, text: '' });
    else edits.push({ start, end: items[index + 1]?.start ?? end, text: '' });
  }
  return edits;
}
