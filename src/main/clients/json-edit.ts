import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';

const breakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
const indentUnitOf = (text: string) => /^(\t| +)\S/m.exec(text)?.[1] ?? '  ';
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

function insert(text: string, object: Node, key: string, value: unknown): string {
  const last = object.children?.at(-1);
  if (last) {
    const space = spaceBefore(text, last.offset);
    const base = lineIndent(text, last.offset);
    return `${text.slice(0, endOf(last))},${space}${property(text, key, value, base)}${text.slice(endOf(last))}`;
  }
  const outer = lineIndent(text, object.offset);
  const inner = outer + indentUnitOf(text);
  const [before, after] = isOneLine(text) ? ['', ''] : [breakOf(text) + inner, breakOf(text) + outer];
  return `${text.slice(0, object.offset)}{${before}${property(text, key, value, inner)}${after}}${text.slice(endOf(object))}`;
}

/**
 * Sets one member of an object in a JSON text; every byte outside of that member stays as it is. The first of equal keys is
 * taken. `path` names the object (empty for the root). Text without that object is given back unchanged.
 */
export function setMember(text: string, path: readonly string[], key: string, value: unknown): string {
  const root = parseTree(text);
  const object = root && findNodeAtLocation(root, [...path]);
  if (object?.type !== 'object') return text;
  const present = findNodeAtLocation(object, [key]);
  if (!present) return insert(text, object, key, value);
  return text.slice(0, present.offset) + write(text, value, lineIndent(text, present.offset)) + text.slice(endOf(present));
}

/** Removes one member, with the comma and the space that came with it; undoes what {@link setMember} inserted, byte for byte. */
export function removeMember(text: string, path: readonly string[], key: string): string {
  const root = parseTree(text);
  const object = root && findNodeAtLocation(root, [...path]);
  const members = object?.children ?? [];
  const at = members.findIndex((member) => member.children?.[0]?.value === key);
  const [member, before, after] = [members[at], members[at - 1], members[at + 1]];
  if (!object || !member) return text;
  if (after) return text.slice(0, member.offset) + text.slice(after.offset);
  if (before) return text.slice(0, endOf(before)) + text.slice(endOf(member));
  return `${text.slice(0, object.offset)}{}${text.slice(endOf(object))}`;
}
