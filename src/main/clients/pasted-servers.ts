import { UpstreamTransport, type UpstreamTransport as Transport } from '../../shared/contract/upstreams.ts';
import type { PastedServer } from '../../shared/contract/upstream-state.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { firstIssue, issueWords } from '../../shared/errors/issue-words.ts';
import { hidesCharacters, shownExactly } from '../../shared/text/shown-exactly.ts';
import { isOwn } from './config-text.ts';
import { foreignServer } from './foreign-server.ts';
import { freeName } from './free-name.ts';
import type { KnownServers } from './known-servers.ts';
import { entriesInPaste } from './pasted-text.ts';

/** Places that clients fill in before they use a value; Bursar would take them literally. */
const VARIABLES = /\$\{/;
/** A program that runs what it is told, whatever its name says; also behind another one, as in `env sh`. */
const SHELL = /(?:^|[\\/])(?:ba|z|da|fi|k)?sh(?:\.exe)?$|(?:^|[\\/])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
/** What runs code out of its arguments, and what says so among its own options. */
const INTERPRETER = /(?:^|[\\/])(?:node|deno|bun|tsx|python[\d.]*|perl|ruby|php)(?:\.exe)?$/i;
const INLINE = /^(?:-[a-z]*[cep]|--eval|--print|eval)(?:=|$)/i;
const MOST_NAME_CHARACTERS = 128;

/** The servers of a pasted text, ready to be looked at. Throws `INPUT_INVALID`. */
export function pastedServers(text: string, known: KnownServers): readonly PastedServer[] {
  const given = new Set<string>();
  return Object.entries(entriesInPaste(text)).map(([entry, value]): PastedServer => {
    const found = readEntry(entry, value, known);
    const transport = 'transport' in found ? found.transport : undefined;
    const name = freeName(entry === '' ? nameOf(transport) : entry, (candidate) => known.isTaken(candidate) || given.has(candidate));
    given.add(name);
    const base = { entry: shownExactly(entry).slice(0, MOST_NAME_CHARACTERS), name };
    if (!transport) return { ...base, words: [], secrets: [], warnings: [], problem: 'problem' in found ? found.problem : '' };
    const words = transport.kind === 'http' ? [transport.url] : [transport.command, ...transport.args];
    const secrets = Object.keys(transport.kind === 'http' ? transport.headers : transport.env).map(shownExactly);
    const same = known.known(transport);
    return { ...base, transport: transport.kind, words: words.map(shownExactly), secrets, warnings: warningsOf(transport, words), ...(same !== undefined && { known: same }) };
  });
}

/** The transports of entries of that text, for {@link PastedServer.entry} as it was shown. Throws `INPUT_INVALID` where one cannot be added. */
export function transportsInPaste(text: string, entries: readonly string[], known: KnownServers): readonly Transport[] {
  const all = Object.entries(entriesInPaste(text)).map(([entry, value]) => ({ shown: shownExactly(entry).slice(0, MOST_NAME_CHARACTERS), entry, value }));
  return entries.map((wanted) => {
    const fitting = all.filter(({ shown }) => shown === wanted);
    const [one] = fitting;
    if (!one || fitting.length > 1) throw new BursarError('INPUT_INVALID', 'The pasted text has no such server, or several that are called so.', { hint: 'Read it again.' });
    const found = readEntry(one.entry, one.value, known);
    if ('transport' in found) return found.transport;
    throw new BursarError('INPUT_INVALID', `The server ${JSON.stringify(wanted)} of the pasted text cannot go behind Bursar. ${found.problem}`);
  });
}

function readEntry(entry: string, value: unknown, { isBursar }: KnownServers): { readonly transport: Transport } | { readonly problem: string } {
  if (isOwn(entry)) return { problem: 'It is an entry of Bursar itself.' };
  const found = foreignServer(value, { variables: VARIABLES });
  if ('problem' in found) return found;
  const parsed = UpstreamTransport.safeParse(found.transport, { error: issueWords });
  if (!parsed.success) return { problem: `It cannot be used: in ${firstIssue(parsed.error).field || 'it'}, ${firstIssue(parsed.error).words}.` };
  const words = parsed.data.kind === 'stdio' ? [parsed.data.command, ...parsed.data.args, ...Object.values(parsed.data.env)] : Object.values(parsed.data.headers);
  if (words.some((word) => word.includes('\0'))) return { problem: 'It holds a zero character, with which nothing can be started or sent.' };
  return isBursar(parsed.data) ? { problem: 'It is Bursar itself.' } : { transport: parsed.data };
}

function warningsOf(transport: Transport, words: readonly string[]): string[] {
  return [
    ...(words.some(hidesCharacters) ? ['It holds characters that nobody sees. They are written out here.'] : []),
    ...(transport.kind === 'stdio' && words.some((word) => SHELL.test(word)) ? ['It runs a shell, which does whatever its arguments say.'] : []),
    ...(transport.kind === 'stdio' && runsItsArguments(words) ? ['It runs code that stands in its arguments.'] : []),
    ...(transport.kind === 'http' && transport.url.startsWith('http:') && !isOnThisMachine(transport.url) ? ['What is sent to it can be read on the way: its address does not begin with https.'] : []),
  ];
}

function runsItsArguments(words: readonly string[]): boolean {
  const options = words.slice(words.findIndex((word) => INTERPRETER.test(word)) + 1);
  const end = options.findIndex((word) => !word.startsWith('-') && !INLINE.test(word));
  return options.length < words.length && options.slice(0, end === -1 ? undefined : end).some((word) => INLINE.test(word));
}

const isOnThisMachine = (url: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

/** What an entry without a name is called: its host, or the last word of its command that looks like a program or package. */
function nameOf(transport: Transport | undefined): string {
  if (!transport) return '';
  if (transport.kind === 'http') return new URL(transport.url).hostname.replace(/^(?:www|mcp|api)\./, '').split('.')[0] ?? '';
  const words = [transport.command, ...transport.args].filter((word) => !word.startsWith('-') && !/^(?:npx|uvx|node|python3?|docker|run)$/.test(word));
  return (words[0] ?? '').split(/[\\/]/).at(-1)?.replace(/@[\d.^~].*$|\.(?:[cm]?js|py|exe)$/, '') ?? '';
}
