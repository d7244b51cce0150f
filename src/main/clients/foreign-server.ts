import { z } from 'zod';
import type { UpstreamTransport } from '../../shared/contract/upstreams.ts';
import type { ClientSpec } from './kinds/client-spec.ts';

/** Members of an entry that say how its server is reached; the rest (a timeout, tools that are allowed) is the client's business. */
const TRANSPORT_MEMBERS: ReadonlySet<string> = new Set(['type', 'source', 'command', 'args', 'env', 'url', 'httpUrl', 'serverUrl', 'headers', 'http_headers']);

/** Members that change how a server is started or reached in ways that Bursar's servers do not have. */
const BEYOND_BURSAR: ReadonlySet<string> = new Set(['cwd', 'envFile', 'env_file', 'env_vars', 'bearer_token_env_var', 'env_http_headers', 'headersHelper', 'oauth', 'authProviderType', 'sandbox']);

const Texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const Entry = z.looseObject({
  type: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: Texts.optional(),
  url: z.string().optional(),
  httpUrl: z.string().optional(),
  serverUrl: z.string().optional(),
  headers: Texts.optional(),
  http_headers: Texts.optional(),
});

/** A client's own server: how Bursar would reach it, or in a sentence why it cannot. */
export type ForeignServer = { readonly transport: UpstreamTransport } | { readonly problem: string };

/** Reads an entry of a client's file. */
export function foreignServer(entry: unknown, { variables }: Pick<ClientSpec, 'variables'>): ForeignServer {
  const parsed = Entry.safeParse(entry);
  if (!parsed.success) return { problem: 'It is written in a form that Bursar does not read.' };
  const { type, command, args = [], env = {}, url, httpUrl, serverUrl, headers, http_headers: otherHeaders } = parsed.data;
  const beyond = Object.keys(parsed.data).find((member) => BEYOND_BURSAR.has(member));
  if (beyond !== undefined) return { problem: `It sets ${beyond}, which servers behind Bursar do not have.` };
  const address = httpUrl ?? serverUrl ?? url;
  const values = [command ?? '', ...args, ...Object.values(env), address ?? '', ...Object.values(headers ?? otherHeaders ?? {})];
  if (variables && values.some((value) => variables.test(value))) return { problem: 'It uses variables that only the client can fill in.' };
  if (command !== undefined && command !== '') return { transport: { kind: 'stdio', command, args, env } };
  if (address === undefined || !/^https?:$/.test(protocolOf(address))) return { problem: 'It has neither a command nor an HTTP address.' };
  if (type === 'sse' || /\/sse\/?$/.test(address)) return { problem: 'It speaks the older SSE transport, which Bursar does not.' };
  return { transport: { kind: 'http', url: address, headers: headers ?? otherHeaders ?? {} } };
}

const protocolOf = (address: string): string => (URL.canParse(address) ? new URL(address).protocol : '');

/** The entry with another way to its server, and all else that it says. */
export const reachedOtherwise = (entry: unknown, transport: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const rest = Object.entries(z.record(z.string(), z.unknown()).catch({}).parse(entry)).filter(([member]) => !TRANSPORT_MEMBERS.has(member));
  return { ...transport, ...Object.fromEntries(rest.filter(([member]) => !(member in transport))) };
};

/** Word after which a secret follows, and a word that looks like one. */
const NAMES_SECRET = /(?:key|token|secret|password|passwd|auth|bearer|credential)s?$/i;
const LOOKS_SECRET = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_+=-]{20,}$/;
const HIDDEN = '(hidden)';

/** How a client's own server is reached, for people to read, without what may be a secret (I6). */
export function shownAddress(transport: UpstreamTransport): string {
  if (transport.kind === 'http') {
    const { origin, pathname, search } = new URL(transport.url);
    return `${origin}${pathname.split('/').map((part) => (LOOKS_SECRET.test(part) ? HIDDEN : part)).join('/')}${search === '' ? '' : `?${HIDDEN}`}`;
  }
  return [transport.command, ...shownArguments(transport.args)].join(' ');
}

/** The arguments of a command with what may be a secret left out (I6). */
export function shownArguments(args: readonly string[]): readonly string[] {
  return args.map((word, index) => {
    const [name = '', value] = word.split(/=(.*)/s);
    if (value !== undefined) return NAMES_SECRET.test(name) || LOOKS_SECRET.test(value) ? `${name}=${HIDDEN}` : word;
    if (NAMES_SECRET.test(args[index - 1] ?? '') && !word.startsWith('-')) return HIDDEN;
    if (URL.canParse(word) && /^\w+:\/\//.test(word)) return hiddenInUrl(word);
    return LOOKS_SECRET.test(word) || NAMES_SECRET.test(word.split(':')[0] ?? '') && word.includes(':') ? HIDDEN : word;
  });
}

function hiddenInUrl(word: string): string {
  const url = new URL(word);
  if (url.username === '' && url.password === '' && url.search === '') return word;
  return `${url.protocol}//${url.host}${url.pathname}${HIDDEN}`;
}
