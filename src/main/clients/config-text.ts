import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { malformed, type ConfigFormat, type ConfigShape, type Entries } from './formats/config-format.ts';
import { JSON_FORMAT, JSONC_FORMAT } from './formats/json-format.ts';
import { TOML_FORMAT } from './formats/toml-format.ts';

/** Entries of that name are Bursar's: it sets, replaces and removes them, and no others. */
export const OWN_PREFIX = 'bursar-';

const FORMATS: Readonly<Record<ConfigShape['format'], ConfigFormat>> = { json: JSON_FORMAT, jsonc: JSONC_FORMAT, toml: TOML_FORMAT };
const BOM = '\uFEFF';
const Servers = z.record(z.string(), z.unknown());

export const isOwn = (name: string): boolean => name.startsWith(OWN_PREFIX);

interface Document {
  readonly mark: string;
  readonly body: string;
  readonly servers: Entries;
  /** All that is not servers. */
  readonly rest: Entries;
}

function documentOf(text: string, { format, key }: ConfigShape): Document {
  const mark = text.startsWith(BOM) ? BOM : '';
  const body = text.slice(mark.length);
  if (body.trim() === '') return { mark, body, servers: {}, rest: {} };
  const { [key]: found = {}, ...rest } = FORMATS[format].read(body);
  const servers = Servers.safeParse(found);
  if (!servers.success) throw malformed(`has something else than servers under ${key}`);
  return { mark, body, servers: servers.data, rest };
}

const pick = (entries: Entries, wanted: (name: string) => boolean): Entries => Object.fromEntries(Object.entries(entries).filter(([name]) => wanted(name)));

/** Throws unless the text says `servers` and, beside them, what the document did. */
function assertSays(text: string, shape: ConfigShape, before: Document, servers: Entries): void {
  const after = documentOf(text, shape);
  if (isDeepStrictEqual(after.servers, servers) && isDeepStrictEqual(after.rest, before.rest)) return;
  throw malformed('is written in a way in which an edit would not be read as it is meant, for example with a key twice');
}

/** Every server in the text by name. Throws `CLIENT_CONFIG_MALFORMED`. Blank text, as of a new file, has none. */
export const serversIn = (text: string, shape: ConfigShape): Entries => documentOf(text, shape).servers;

/** Bursar's entries in the text. Throws `CLIENT_CONFIG_MALFORMED`. */
export const ownEntries = (text: string, shape: ConfigShape): Entries => pick(serversIn(text, shape), isOwn);

/**
 * The text with Bursar's entries made equal to `wanted`: new ones added, changed ones replaced, others of ours removed.
 * Only their own bytes change; byte order mark, line breaks, indent and comments are kept. Blank text becomes a new document.
 * Throws `CLIENT_CONFIG_MALFORMED`, also where an edit would not read back as meant (a key that is there twice).
 */
export function withOwnEntries(text: string, wanted: Entries, shape: ConfigShape): string {
  const format = FORMATS[shape.format];
  const before = documentOf(text, shape);
  if (before.body.trim() === '') return documentOfEntries(wanted, shape);
  const own = pick(before.servers, isOwn);
  let body = before.body;
  for (const name of Object.keys(own)) {
    if (!Object.hasOwn(wanted, name)) body = format.remove(body, shape.key, name);
  }
  for (const [name, entry] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(own[name], entry)) body = format.set(body, shape.key, name, entry);
  }
  assertSays(body, shape, before, { ...pick(before.servers, (name) => !isOwn(name)), ...wanted });
  return before.mark + body;
}

/** The text with one entry replaced, and the bytes that stood there: {@link withEntryText} puts them back. Throws `CLIENT_CONFIG_MALFORMED`. */
export function withEntry(text: string, name: string, entry: unknown, shape: ConfigShape): { readonly text: string; readonly replaced: string } {
  const format = FORMATS[shape.format];
  const before = documentOf(text, shape);
  const span = Object.hasOwn(before.servers, name) ? format.span(before.body, shape.key, name) : undefined;
  if (!span) throw malformed(`has the server ${JSON.stringify(name)} not in one place`);
  const body = format.set(before.body, shape.key, name, entry);
  assertSays(body, shape, before, { ...before.servers, [name]: entry });
  return { text: before.mark + body, replaced: before.body.slice(span.start, span.end) };
}

/** The text with the bytes of one entry replaced by others. Throws `CLIENT_CONFIG_MALFORMED`, also where more than that entry would change. */
export function withEntryText(text: string, name: string, replacement: string, shape: ConfigShape): string {
  const before = documentOf(text, shape);
  const span = Object.hasOwn(before.servers, name) ? FORMATS[shape.format].span(before.body, shape.key, name) : undefined;
  if (!span) throw malformed(`has the server ${JSON.stringify(name)} not in one place`);
  const body = before.body.slice(0, span.start) + replacement + before.body.slice(span.end);
  assertSays(body, shape, before, { ...before.servers, [name]: documentOf(body, shape).servers[name] });
  return before.mark + body;
}

/** A document of the client's kind that says these servers and nothing else. */
export const documentOfEntries = (entries: Entries, { format, key }: ConfigShape): string => FORMATS[format].write(key, entries);
