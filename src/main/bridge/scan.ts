import { BursarError } from '../../shared/errors/errors.ts';
import { notJson, OPEN_BRACE, OPEN_BRACKET, skipSpace, skipValue, walkArray, walkObject, type Span } from './json-text.ts';

/** The places of a JSON-RPC message that the bridge looks at; all else is skipped unread. */
export type Field =
  | 'id' | 'method' | 'params' | 'result' | 'error'
  | 'params.name' | 'params.arguments' | 'params._meta' | 'params.uri' | 'params.requestId' | 'params.progressToken' | 'params.taskId'
  | 'params._meta.progressToken' | 'params._meta.io.modelcontextprotocol/protocolVersion'
  | 'params._meta.io.modelcontextprotocol/clientCapabilities' | 'params._meta.io.modelcontextprotocol/subscriptionId'
  | 'result.isError' | 'result.structuredContent' | 'result.content' | 'result._meta' | 'result._meta.io.modelcontextprotocol/subscriptionId' | 'result.protocolVersion' | 'result.error'
  | 'result.resultType' | 'result.taskId' | 'result.task' | 'result.task.taskId' | 'result.result'
  | 'error.code' | 'error.message' | 'error.data';

/** `other` is JSON that is no JSON-RPC message; it is forwarded all the same. */
export type MessageKind = 'request' | 'notification' | 'response' | 'other';

/** Where the parts of one message lie in its text. Of a repeated key the last counts, as in `JSON.parse`. */
export interface MessageScan {
  readonly kind: MessageKind;
  readonly span: Span;
  readonly fields: Readonly<Partial<Record<Field, Span>>>;
  /** Paths of keys that occur twice in one of the objects looked into. A payment message that has any is refused. */
  readonly duplicates: readonly string[];
}

/** One text on the wire: a single message, or a batch (JSON-RPC arrays, MCP 2025-03-26). */
export interface PayloadScan {
  readonly batch: boolean;
  readonly messages: readonly MessageScan[];
}

/** An object to look into: what its members are called, and which of them are looked into in turn. */
interface Watch {
  readonly [key: string]: { readonly field: Field; readonly inside?: Watch };
}

const NOTHING: Watch = {};
const MESSAGE: Watch = {
  id: { field: 'id' },
  method: { field: 'method' },
  params: {
    field: 'params',
    inside: {
      name: { field: 'params.name' },
      uri: { field: 'params.uri' },
      requestId: { field: 'params.requestId' },
      progressToken: { field: 'params.progressToken' },
      taskId: { field: 'params.taskId' },
      arguments: { field: 'params.arguments', inside: NOTHING },
      _meta: {
        field: 'params._meta',
        inside: {
          progressToken: { field: 'params._meta.progressToken' },
          'io.modelcontextprotocol/protocolVersion': { field: 'params._meta.io.modelcontextprotocol/protocolVersion' },
          'io.modelcontextprotocol/clientCapabilities': { field: 'params._meta.io.modelcontextprotocol/clientCapabilities' },
          'io.modelcontextprotocol/subscriptionId': { field: 'params._meta.io.modelcontextprotocol/subscriptionId' },
        },
      },
    },
  },
  result: {
    field: 'result',
    inside: {
      isError: { field: 'result.isError' },
      protocolVersion: { field: 'result.protocolVersion' },
      content: { field: 'result.content' },
      error: { field: 'result.error' },
      result: { field: 'result.result' },
      resultType: { field: 'result.resultType' },
      taskId: { field: 'result.taskId' },
      task: { field: 'result.task', inside: { taskId: { field: 'result.task.taskId' } } },
      structuredContent: { field: 'result.structuredContent', inside: NOTHING },
      _meta: { field: 'result._meta', inside: { 'io.modelcontextprotocol/subscriptionId': { field: 'result._meta.io.modelcontextprotocol/subscriptionId' } } },
    },
  },
  error: {
    field: 'error',
    inside: {
      code: { field: 'error.code' },
      message: { field: 'error.message' },
      data: { field: 'error.data', inside: NOTHING },
    },
  },
};

/**
 * Finds the parts of a JSON-RPC text without building the object tree. Linear in the text's length at any depth.
 *
 * @throws {BursarError} JSON_INVALID for anything that `JSON.parse` would refuse; MESSAGE_MALFORMED for a batch within a batch, which JSON-RPC does not know.
 */
export function scanPayload(text: string): PayloadScan {
  const start = skipSpace(text, 0);
  const batch = text.charCodeAt(start) === OPEN_BRACKET;
  const messages: MessageScan[] = [];
  const scanOne = (at: number): number => {
    if (batch && text.charCodeAt(at) === OPEN_BRACKET) throw new BursarError('MESSAGE_MALFORMED', 'A batch may hold no other batch.');
    const message = scanMessageAt(text, at);
    messages.push(message);
    return message.span.end;
  };
  const end = skipSpace(text, batch ? walkArray(text, start, scanOne) : scanOne(start));
  if (end !== text.length) notJson(end);
  return { batch, messages };
}

/**
 * {@link scanPayload} of what a client sent. Parsers differ in which of two ids they take: a server that took the other one would answer nobody, and
 * whoever asked would wait for ever.
 *
 * @throws {BursarError} as that does, and MESSAGE_MALFORMED for a request with two ids.
 */
export function scanClientPayload(text: string): PayloadScan {
  const payload = scanPayload(text);
  if (payload.messages.some(({ kind, duplicates }) => kind === 'request' && duplicates.includes('id'))) throw new BursarError('MESSAGE_MALFORMED', 'A request may have one id only.');
  return payload;
}

function scanMessageAt(text: string, start: number): MessageScan {
  const fields: Partial<Record<Field, Span>> = {};
  const duplicates: string[] = [];
  const end = walk(text, start, MESSAGE, '', fields, duplicates);
  return { kind: kindOf(fields), span: { start, end }, fields, duplicates };
}

function walk(text: string, start: number, watch: Watch, path: string, fields: Partial<Record<Field, Span>>, duplicates: string[]): number {
  if (text.charCodeAt(start) !== OPEN_BRACE) return skipValue(text, start);
  const seen = new Set<string>();
  return walkObject(text, start, (key, _keyStart, valueStart) => {
    if (seen.has(key)) {
      duplicates.push(path + key);
      // What an earlier value of this key held does not count any more.
      const prefix = `${path}${key}.`;
      for (const field of Object.keys(fields) as Field[]) if (field.startsWith(prefix)) delete fields[field];
    }
    seen.add(key);
    const place = Object.hasOwn(watch, key) ? watch[key] : undefined;
    if (place === undefined) return skipValue(text, valueStart);
    const end = place.inside === undefined ? skipValue(text, valueStart) : walk(text, valueStart, place.inside, `${path}${key}.`, fields, duplicates);
    fields[place.field] = { start: valueStart, end };
    return end;
  });
}

function kindOf(fields: Partial<Record<Field, Span>>): MessageKind {
  if (fields.method !== undefined) return fields.id === undefined ? 'notification' : 'request';
  return fields.result !== undefined || fields.error !== undefined ? 'response' : 'other';
}
