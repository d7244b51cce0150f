import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BursarError } from '../../shared/errors/errors.ts';
import { removeMember, setMember } from './json-edit.ts';

/** One stdio server as an `mcpServers` file writes it. */
export interface Registration {
  /** Absolute: clients with a window do not have the shell's PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What Bursar writes into a client's file, by name. Every name begins with {@link OWN_PREFIX}. */
export type Registrations = Readonly<Record<string, Registration>>;

/** Entries of that name are Bursar's: it sets, replaces and removes them, and no others. */
export const OWN_PREFIX = 'bursar-';

const SERVERS = 'mcpServers';
const BOM = '\uFEFF';
const Servers = z.record(z.string(), z.unknown());
const ConfigDocument = z.looseObject({ [SERVERS]: Servers.optional() });

const malformed = (reason: string) => new BursarError('CLIENT_CONFIG_MALFORMED', `The client's configuration ${reason}.`);

const isOwn = (name: string) => name.startsWith(OWN_PREFIX);
const isBlank = (text: string) => text.replace(BOM, '').trim() === '';

function parseConfig(text: string): z.infer<typeof ConfigDocument> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(BOM, ''));
  } catch (error) {
    throw malformed(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const document = ConfigDocument.safeParse(value);
  if (!document.success) throw malformed(`is not an object whose ${SERVERS} is one too`);
  return document.data;
}

const split = (document: z.infer<typeof ConfigDocument>) => {
  const { [SERVERS]: servers = {}, ...rest } = document;
  const pick = (own: boolean) => Object.fromEntries(Object.entries(servers).filter(([name]) => isOwn(name) === own));
  return { own: pick(true), foreign: { rest, servers: pick(false) } };
};

/** Bursar's entries in the text. Throws `CLIENT_CONFIG_MALFORMED`. Blank text, as of a new file, has none. */
export const ownEntries = (text: string): Readonly<Record<string, unknown>> => (isBlank(text) ? {} : split(parseConfig(text)).own);

/**
 * The text with Bursar's entries made equal to `wanted`: new ones added, changed ones replaced, others of ours removed.
 * Only their own bytes change; byte order mark, line breaks and indent are kept. Blank text becomes a new document.
 * Throws `CLIENT_CONFIG_MALFORMED`, also where an edit would not read back as meant (a key that is there twice).
 */
export function withOwnEntries(text: string, wanted: Readonly<Record<string, unknown>>): string {
  if (isBlank(text)) return `${JSON.stringify({ [SERVERS]: wanted }, null, 2)}\n`;
  const document = parseConfig(text);
  const hasServers = document[SERVERS] !== undefined;
  const before = split(document);
  const mark = text.startsWith(BOM) ? BOM : '';
  let body = text.slice(mark.length);
  if (!hasServers && Object.keys(wanted).length > 0) body = setMember(body, [], SERVERS, {});
  for (const name of Object.keys(before.own)) {
    if (!Object.hasOwn(wanted, name)) body = removeMember(body, [SERVERS], name);
  }
  for (const [name, entry] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(before.own[name], entry)) body = setMember(body, [SERVERS], name, entry);
  }
  const after = split(parseConfig(body));
  if (!isDeepStrictEqual(after.own, wanted) || !isDeepStrictEqual(after.foreign, before.foreign)) {
    throw malformed('has a key twice, so that an edit would not be read as it is meant');
  }
  return mark + body;
}
