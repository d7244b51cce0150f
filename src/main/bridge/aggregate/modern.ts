import { cutMembers } from '../cut.ts';
import { childOf, OPEN_BRACE, skipValue, stringAt, walkObject, type Span } from '../json-text.ts';
import { scanPayload, type MessageScan } from '../scan.ts';
import { setMembers, splice } from '../splice.ts';
import { INSTRUCTIONS } from './greeting.ts';

/** The version that has no sessions: every request says of itself what `initialize` said before. */
export const MODERN = '2026-07-28';

const OF_PROTOCOL = 'io.modelcontextprotocol/';
/** What a request says of its client; a server of the older protocol was told by `initialize`. */
const OF_CLIENT = new Set(['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel'].map((name) => OF_PROTOCOL + name));
/** Results that say how long they hold (MCP 2026-07-28, Caching). */
const CACHEABLE = new Set(['server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']);
/** What that version has no more. */
export const REMOVED = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list', 'tasks/result']);

/** The answer to `server/discover`. */
export const discovery = (version: string): string =>
  JSON.stringify({
    supportedVersions: [MODERN],
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
    instructions: INSTRUCTIONS,
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bursar', title: 'Bursar', version } },
  });

/** What a request says of its client, as raw JSON for requests of Bursar's own on its behalf. */
export function clientMeta(text: string, { fields }: MessageScan): string {
  const meta = fields['params._meta'];
  const members: string[] = [];
  if (meta !== undefined && text.charCodeAt(meta.start) === OPEN_BRACE) {
    walkObject(text, meta.start, (key, _keyStart, start) => {
      const end = skipValue(text, start);
      if (OF_CLIENT.has(key)) members.push(`${JSON.stringify(key)}:${text.slice(start, end)}`);
      return end;
    });
  }
  return `{${members.join(',')}}`;
}

/** The params of a request of Bursar's own, with what it says of the client. */
export const withMeta = (params: string, meta: string | undefined): string =>
  meta === undefined ? params : splice(params, setMembers(params, { start: 0, end: params.length }, { _meta: meta }));

/** A request as a server of the older protocol understands it: a header of the newer one would make it refuse the call. */
export function asOlder(text: string): string {
  const meta = scanPayload(text).messages[0]?.fields['params._meta'];
  return meta === undefined || text.charCodeAt(meta.start) !== OPEN_BRACE ? text : splice(text, cutMembers(text, meta, OF_CLIENT));
}

/** Does the client want what servers log while they answer this request? */
export const wantsLog = (text: string, { fields }: MessageScan): boolean => childOf(text, fields['params._meta'], `${OF_PROTOCOL}logLevel`) !== undefined;

/** An answer with what every result of 2026-07-28 has: Bursar's own answers, and those of servers of the older protocol, lack it. */
export function completed(text: string, method: string): string {
  const [message] = scanPayload(text).messages;
  const result = message?.fields.result;
  if (result === undefined || text.charCodeAt(result.start) !== OPEN_BRACE) return text;
  const wanted: Record<string, string> = { resultType: '"complete"', ...(CACHEABLE.has(method) && { ttlMs: '0', cacheScope: '"private"' }) };
  const missing = Object.fromEntries(Object.entries(wanted).filter(([name]) => childOf(text, result, name) === undefined));
  return splice(text, setMembers(text, result, missing));
}

/** A server's `input_required` with its name in every elicitation. */
export function signedInputs(upstream: string, text: string): string {
  if (!text.includes('"inputRequests"')) return text;
  const requests = childOf(text, scanPayload(text).messages[0]?.fields.result, 'inputRequests');
  if (requests === undefined || text.charCodeAt(requests.start) !== OPEN_BRACE) return text;
  const places: Span[] = [];
  walkObject(text, requests.start, (_key, _keyStart, start) => {
    const request = { start, end: skipValue(text, start) };
    const words = childOf(text, childOf(text, request, 'params'), 'message');
    if (words !== undefined && stringAt(text, childOf(text, request, 'method')) === 'elicitation/create') places.push(words);
    return request.end;
  });
  return splice(text, places.map((span) => ({ ...span, text: JSON.stringify(inTheNameOf(upstream, stringAt(text, span) ?? '')) })));
}

/** A server asks the person in its own name: the client would show Bursar's, to which people tell more. */
export const inTheNameOf = (upstream: string, words: string): string => `The server "${upstream}" asks: ${words}`;
