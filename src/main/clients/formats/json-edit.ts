import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';

const breakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
const indentUnitOf = (text: string) => /^(\t+| +)["{}[\]]/m.exec(text)?.[1] ?? '  ';
const isOneLine = (text: string) => !text.trim().includes('\n');
const endOf = (node: Node) => node.offset + node.length;

/** A value as the text would have it: one line where the text is one, else with its indent and line breaks under `base`. */
function write(text: string, value: unknown, base: string): string {
  if (isOneLine(text)) return JSON.stringify(value);
  return JSON.stringify(value, null, indentUnitOf(text)).replaceAll('\n', breakOf(text) + base);
}

/** The space between the token before the offset and the offset. */
function spaceBefore(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return before.slice(before.trimEnd().length);
}

/** The indent of the line that holds the offset. */
const lineIndent = (text: string, offset: number) => /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';

const property = (text: string, key: string, value: unknown, base: string) =>
  `${JSON.stringify(key)}:${isOneLine(text) ? '' : ' '}${write(text, value, base)}`;

interface Tail {
  /** Where the comma after the member stands; absent without one. */
  readonly comma?: number;
  /** Where the line of member and comma ends, its comments included. */
  readonly end: number;
  /** True where nothing may follow on that line. */
  readonly endsLine: boolean;
}

/** What stands between members: a line break, other space, a comma, a comment to the end of its line, or one that has its own end. */
const BETWEEN = /(\n)|[^\S\n]+|(,)|(\/\/[^\r\n]*)|(\/\*[\s\S]*?\*\/)/y;

/** What follows a member, up to the next member or the closing brace. */
function tailOf(text: string, from: number): Tail {
  let tail: Tail = { end: from, endsLine: false };
  let sameLine = true;
  let at = from;
  for (;;) {
    BETWEEN.lastIndex = at;
    const found = BETWEEN.exec(text);
    if (!found) return tail;
    const [token, lineBreak, comma, lineComment, blockComment] = found;
    at += token.length;
    if (lineBreak) sameLine = false;
    if (comma && tail.comma !== undefined) return tail;
    if (comma) {
      tail = { comma: at - 1, end: at, endsLine: false };
      sameLine = true;
    }
    if (sameLine && (lineComment || blockComment)) tail = { ...tail, end: at, endsLine: lineComment !== undefined };
  }
}

/** A comment that stands on the line of a member stays on it. */
function insertAfter(text: string, last: Node, key: string, value: unknown): string {
  const base = lineIndent(text, last.offset);
  const { comma, end, endsLine } = tailOf(text, endOf(last));
  const before = spaceBefore(text, last.offset);
  const space = endsLine && !before.includes('\n') ? breakOf(text) + base : before;
  const added = `${space}${property(text, key, value, base)}`;
  if (comma !== undefined) return `${text.slice(0, end)}${added},${text.slice(end)}`;
  return `${text.slice(0, endOf(last))},${text.slice(endOf(last), end)}${added}${text.slice(end)}`;
}

function insert(text: string, object: Node, key: string, value: unknown): string {
  const last = object.children?.at(-1);
  if (last) return insertAfter(text, last, key, value);
  const outer = lineIndent(text, object.offset);
  const inner = outer + indentUnitOf(text);
  const comments = text.slice(object.offset + 1, endOf(object) - 1).trimEnd();
  const [before, after] = isOneLine(text) && comments === '' ? ['', ''] : [breakOf(text) + inner, breakOf(text) + outer];
  return `${text.slice(0, object.offset)}{${comments}${before}${property(text, key, value, inner)}${after}}${text.slice(endOf(object))}`;
}

/**
 * Sets one member of an object in a JSON text, which may have comments and trailing commas; every byte outside of that member stays as
 * it is. The first of equal keys is taken. `path` names the object (empty for the root). Text without that object is given back unchanged.
 */
export function setMember(text: string, path: readonly string[], key: string, value: unknown): string {
  const root = parseTree(text);
  const object = root && findNodeAtLocation(root, [...path]);
  if (object?.type !== 'object') return text;
  const present = findNodeAtLocation(object, [key]);
  if (!present) return insert(text, object, key, value);
  return text.slice(0, present.offset) + write(text, value, lineIndent(text, present.offset)) + text.slice(endOf(present));
}

/** Removes one member, with the comma and the space that came with it; undoes what {@link setMember} inserted, byte for byte. Comments stay. */
export function removeMember(text: string, path: readonly string[], key: string): string {
  const root = parseTree(text);
  const object = root && findNodeAtLocation(root, [...path]);
  const members = object?.children ?? [];
  const at = members.findIndex((member) => member.children?.[0]?.value === key);
  const [member, before, after] = [members[at], members[at - 1], members[at + 1]];
  if (!object || !member) return text;
  const { comma } = tailOf(text, endOf(member));
  const next = comma === undefined ? endOf(member) : comma + 1;
  // What stands between member and comma can only be a comment.
  const kept = comma === undefined ? '' : text.slice(endOf(member), comma).trim();
  if (after) return text.slice(0, member.offset) + kept + text.slice(next).trimStart();
  const start = member.offset - spaceBefore(text, member.offset).length;
  const rest = kept + text.slice(next);
  if (!before) {
    const inner = text.slice(object.offset + 1, start) + kept + text.slice(next, endOf(object) - 1);
    return `${text.slice(0, object.offset)}{${inner.trim() === '' ? '' : inner}}${text.slice(endOf(object))}`;
  }
  if (comma !== undefined) return text.slice(0, start) + rest;
  const earlier = tailOf(text, endOf(before)).comma ?? endOf(before);
  return text.slice(0, earlier) + text.slice(earlier + 1, start) + rest;
}
