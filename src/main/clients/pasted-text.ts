import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { placeOf, type Entries, type Place } from './formats/config-format.ts';
import { JSONC_FORMAT } from './formats/json-format.ts';
import { TOML_FORMAT } from './formats/toml-format.ts';

/** Brackets within each other; a client's file has five or so, and a parser that calls itself has no room for a million. */
const DEEPEST = 32;
const MOST_SERVERS = 100;

/** Members that hold servers by name, in the files of the clients that Bursar knows; VS Code's settings have theirs under `mcp`. */
const HOLDERS = ['mcpServers', 'servers', 'context_servers', 'mcp_servers'] as const;
/** A TOML table within another, on its line. Each character fits in one way alone and no line reads into the next, so that no text takes long to look through. */
const DOTTED_TABLE = /^[ \t]*\[{1,2}[\w"' \t-]+\.[^\]\n]*\]/m;
const WAYS = ['command', 'url', 'httpUrl', 'serverUrl'] as const;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEntry = (value: unknown): value is Record<string, unknown> => isObject(value) && WAYS.some((way) => typeof value[way] === 'string');

/**
 * The servers in a text that was pasted, by the names that it gives them: a client's whole JSON (comments and trailing commas are taken) or TOML,
 * its part with the servers, one such entry with or without its name, also between the fences of a chat. Throws `INPUT_INVALID`.
 */
export function entriesInPaste(pasted: string): Entries {
  const text = withoutFences(pasted.replace(/^\uFEFF/, ''));
  if (text.trim() === '') throw refused('is empty');
  const entries = entriesIn(documentIn(text));
  if (Object.keys(entries).length === 0) throw refused('has no server in it');
  if (Object.keys(entries).length > MOST_SERVERS) throw refused(`names more than ${MOST_SERVERS} servers`);
  return entries;
}

/** The lines of fences become empty, so that line numbers stay. */
const withoutFences = (text: string): string => (/^\s*```/.test(text) ? text.replace(/^[ \t]*```[^\n]*$/gm, '') : text);

function documentIn(text: string): Entries {
  const start = text.replace(/^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/, '').charAt(0);
  if (start === '[' && !DOTTED_TABLE.test(text)) throw refused('is a list: paste an object with servers by name', { line: 1, column: 1 });
  const isPart = start === '"';
  const json = isPart ? `{${text}}` : text;
  try {
    if (start !== '{' && !isPart) return TOML_FORMAT.read(text);
    requireShallow(json);
    return JSONC_FORMAT.read(json);
  } catch (error) {
    if (!isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) throw error;
    const { reason = 'cannot be read', line = '', column = '' } = error.context;
    // The brace in front is ours.
    if (!isPart || line !== '1') throw new BursarError('INPUT_INVALID', `The pasted text ${cleanText(reason)}.`, { hint: PASTE_HINT, ...(line !== '' && { context: { line, column } }), cause: error });
    throw refused(reason.replace(/ at line .*$/, ''), { line: 1, column: Math.max(1, Number(column) - 1) });
  }
}

function entriesIn(document: Entries): Entries {
  const settings = document['mcp'];
  for (const from of [document, ...(isObject(settings) ? [settings] : [])]) {
    for (const holder of HOLDERS) {
      const held = from[holder];
      if (isObject(held) && !isEntry(held)) return held;
    }
  }
  if (isEntry(document)) return { [typeof document['name'] === 'string' ? document['name'] : '']: document };
  const named = Object.entries(document).filter(([, value]) => isEntry(value));
  if (named.length > 0) return Object.fromEntries(named);
  throw refused(`has no servers: neither ${HOLDERS.slice(0, 2).join(' nor ')}, nor an entry with a command or an address`);
}

/** Counts the brackets outside of texts, before a parser goes down into them. */
function requireShallow(text: string): void {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '"' || character === '\n') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > DEEPEST) throw refused(`has more than ${DEEPEST} brackets within each other`, placeOf(text, at));
  }
}

const PASTE_HINT = 'Paste what a server’s page gives for Claude Desktop, Cursor, VS Code or Codex: the whole text, or the part with the server.';

const refused = (reason: string, place?: Place): BursarError =>
  new BursarError('INPUT_INVALID', `The pasted text ${cleanText(reason)}${place ? ` at line ${place.line}, column ${place.column}` : ''}.`, {
    hint: PASTE_HINT,
    ...(place && { context: { line: String(place.line), column: String(place.column) } }),
  });
