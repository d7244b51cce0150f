import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError, type ParseErrorCode } from 'jsonc-parser';
import { malformed, placeOf, type ConfigFormat } from './config-format.ts';
import { removeMember, setMember } from './json-edit.ts';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function readJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(value)) throw malformed('is not an object');
  return value;
}

/** What the parser missed or found, in words. */
const wordsOf = (code: ParseErrorCode): string =>
  printParseErrorCode(code)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

function readJsonc(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) throw malformed(`is not JSON with comments: ${wordsOf(first.error)}`, placeOf(text, first.offset));
  if (root?.type !== 'object') throw malformed('is not an object');
  // Its objects have no prototype; plain ones compare with what is to be written.
  return JSON.parse(JSON.stringify(getNodeValue(root))) as Record<string, unknown>;
}

function valueAt(text: string, key: string, name: string): Node | undefined {
  const root = parseTree(text);
  return root && findNodeAtLocation(root, [key, name]);
}

const editing = (read: ConfigFormat['read']): ConfigFormat => ({
  read,
  write: (key, entries) => `${JSON.stringify({ [key]: entries }, null, 2)}\n`,
  set: (text, key, name, entry) => setMember(Object.hasOwn(read(text), key) ? text : setMember(text, [], key, {}), [key], name, entry),
  remove: (text, key, name) => removeMember(text, [key], name),
  span(text, key, name) {
    const node = valueAt(text, key, name);
    return node && { start: node.offset, end: node.offset + node.length };
  },
});

/** JSON as RFC 8259 has it. */
export const JSON_FORMAT = editing(readJson);

/** JSON with comments and trailing commas. */
export const JSONC_FORMAT = editing(readJsonc);
