import { cleanText } from '../../shared/text/clean-text.ts';
import type { UpstreamTransport } from './upstream.ts';

/** Shorter values are ports, switches and the like; hiding those would make a log unreadable and no secret safer. */
const SHORTEST_SECRET = 6;
/** So much of a line is looked at beside its secrets, which is far more than is kept of it. */
const MOST_LOOKED_AT = 1_200;
const HIDDEN = '(hidden)';

/** Colours, cursor moves and window titles: ESC or its 8-bit form, and a sequence that no end follows takes the rest of the line with it. */
const TERMINAL_SEQUENCES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

/** `Authorization: Bearer …`, `api_key=…`, `"token": "…"`, and the name and password of an address. */
const SAID_SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[^\s"',;]{6,}/gi, `$1 ${HIDDEN}`],
  [/((?:key|token|secret|password|passwd|credential)s?["']?\s*[=:]\s*["']?)[^\s"',;&]{4,}/gi, `$1${HIDDEN}`],
  [/:\/\/[^\s/@:]{1,256}:[^\s/@]{1,256}@/g, `://${HIDDEN}@`],
];

/** What a transport keeps secret: the values of its headers or variables, and the words of its arguments that `shownArguments` does not show. */
export function secretsOf(transport: UpstreamTransport, shownArguments: (args: readonly string[]) => readonly string[] = (args) => args): readonly string[] {
  const values = Object.values((transport.kind === 'http' ? transport.headers : transport.env) ?? {});
  const shown = transport.kind === 'stdio' ? shownArguments(transport.args) : [];
  const words = transport.kind === 'stdio' ? transport.args.filter((word, index) => shown[index] !== word).flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]) : [];
  // `Bearer abc` is as secret without its scheme.
  const parts = values.flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)]);
  // A key of many lines is written line by line, and what nobody sees is gone from a line before it is compared.
  const written = [...parts, ...words].flatMap((value) => [value, ...value.split(/\r?\n|\\n/)]).flatMap((value) => [value, cleanText(value, value.length)]);
  // The longest first: one may stand within another.
  return [...new Set(written)].filter((value) => value.length >= SHORTEST_SECRET).toSorted((a, b) => b.length - a.length);
}

/**
 * A line of a server as it may be shown: without terminal sequences, without characters that nobody sees, without the secrets that are known
 * and those that are called so, in at most `limit` characters (I6). A server that writes a secret in another form than it was given is not caught.
 */
export function shownLine(line: string, secrets: readonly string[], limit: number): string {
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  const lookedAt = MOST_LOOKED_AT + 2 * longest;
  const visible = cleanText(line.slice(0, lookedAt).replace(TERMINAL_SEQUENCES, ''), lookedAt).replaceAll('\n', ' ').trimEnd();
  const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), visible);
  // A secret may be cut in two where the look ends.
  const withoutKnown = hidden.slice(0, line.length > lookedAt ? Math.max(0, hidden.length - longest) : undefined).slice(0, MOST_LOOKED_AT);
  const safe = SAID_SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), withoutKnown);
  return cleanText(safe, limit);
}
