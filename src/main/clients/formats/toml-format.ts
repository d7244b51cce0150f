import { parse, stringify, TomlError } from 'smol-toml';
import { malformed, type ConfigFormat, type Span } from './config-format.ts';
import { tomlSections } from './toml-sections.ts';

const breakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object.fromEntries(Object.entries(parse(text, { integersAsBigInt: 'asNeeded' })).map(([key, value]) => [key, plain(value)]));
  } catch (error) {
    throw malformed(`is not TOML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`, error instanceof TomlError ? { line: error.line, column: error.column } : undefined);
  }
}

const isTable = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** The parser's tables have no prototype; plain ones compare with what is to be written. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isTable(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)])) : value;
}

/** `key = value` on one line: a table within an entry is written inline, so that the entry is one table. */
function line(key: string, value: unknown): string {
  if (!isTable(value)) return stringify({ [key]: value }).trim();
  const name = stringify({ [key]: 0 }).trim().replace(/ = 0$/, '');
  const members = Object.entries(value).map(([member, inner]) => line(member, inner));
  return `${name} = ${members.length === 0 ? '{}' : `{ ${members.join(', ')} }`}`;
}

/** The table of an entry, without a line break at its end. */
function table(text: string, key: string, name: string, entry: unknown): string {
  const header = stringify({ [key]: { [name]: { x: 0 } } }).split('\n')[0] ?? '';
  return [header, ...Object.entries(isTable(entry) ? entry : {}).map(([member, value]) => line(member, value))].join(breakOf(text));
}

/** The names in a header, outermost first; empty for what is no single table. */
function namesIn(header: string): readonly string[] {
  if (header.startsWith('[[')) return [];
  const names: string[] = [];
  for (let value: unknown = parse(header); isTable(value); ) {
    const [only] = Object.entries(value);
    if (!only) break;
    names.push(only[0]);
    value = only[1];
  }
  return names;
}

/** The table of an entry with the tables within it; undefined where they do not stand together. */
function span(text: string, key: string, name: string): Span | undefined {
  const sections = tomlSections(text);
  const own = sections.flatMap(({ header }, index) => {
    const [outer, inner] = namesIn(header);
    return outer === key && inner === name ? [index] : [];
  });
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined || last - first !== own.length - 1) return undefined;
  const [start, end] = [sections[first]?.start ?? 0, sections[last]?.end ?? 0];
  // The line break at its end is the file's.
  return { start, end: start + text.slice(start, end).trimEnd().length };
}

/** After a blank line at the end, with a line break after it where the text has one. */
function append(text: string, block: string): string {
  if (text.trim() === '') return `${text}${block}${breakOf(text)}`;
  const lineBreak = breakOf(text);
  return text.endsWith('\n') ? `${text}${lineBreak}${block}${lineBreak}` : `${text}${lineBreak}${lineBreak}${block}`;
}

/** TOML 1.0. Its tables are spliced as text, because no writer keeps comments. */
export const TOML_FORMAT: ConfigFormat = {
  read,
  write: (key, entries) => Object.entries(entries).map(([name, entry]) => `${table('', key, name, entry)}\n`).join('\n'),
  set(text, key, name, entry) {
    const block = table(text, key, name, entry);
    const present = span(text, key, name);
    return present ? text.slice(0, present.start) + block + text.slice(present.end) : append(text, block);
  },
  remove(text, key, name) {
    const present = span(text, key, name);
    if (!present) return text;
    const before = text.slice(0, present.start);
    const after = text.slice(present.end);
    if (after === '') return before.replace(/(?:\r?\n){1,2}$/, '');
    const rest = after.replace(/^\r?\n/, '');
    return (before.trim() === '' ? before : before.replace(/(\r?\n)\r?\n$/, '$1')) + rest;
  },
  span,
};
