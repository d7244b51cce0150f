import { stringAt } from './json-text.ts';
import type { MessageScan, PayloadScan } from './scan.ts';

const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** What a 2026-07-28 message says of itself and repeats in HTTP headers. */
export interface ModernFacts {
  readonly version: string;
  readonly method: string;
  /** The tool, prompt, resource or task that it is about. */
  readonly name: string | undefined;
}

/** `undefined` for messages of the older protocol, which name no version in their `_meta`, and for batches. */
export function modernFacts(text: string, { batch, messages }: PayloadScan): ModernFacts | undefined {
  const [message] = messages;
  if (batch || message === undefined) return undefined;
  const version = stringAt(text, message.fields['params._meta.io.modelcontextprotocol/protocolVersion']);
  const method = stringAt(text, message.fields.method);
  return version === undefined || method === undefined ? undefined : { version, method, name: nameOf(text, method, message) };
}

/** What `Mcp-Name` repeats for this method. */
export function nameOf(text: string, method: string, { fields }: MessageScan): string | undefined {
  if (method === 'tools/call' || method === 'prompts/get') return stringAt(text, fields['params.name']);
  if (method === 'resources/read') return stringAt(text, fields['params.uri']);
  return method.startsWith('tasks/') ? stringAt(text, fields['params.taskId']) : undefined;
}

/** The HTTP headers that a 2026-07-28 message needs and a stdio client cannot send. */
export const modernHeaders = ({ version, method, name }: ModernFacts): Record<string, string> => ({
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': headerValue(name) }),
});

/** A value as a header can carry it (MCP 2026-07-28, Value Encoding). */
export const headerValue = (value: string): string => (HEADER_SAFE.test(value) && !ENCODED.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`);

/** The value that a header carries, or `undefined` where its encoding is broken. */
export function readHeaderValue(header: string): string | undefined {
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) return header;
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}
