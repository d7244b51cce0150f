import type { IncomingHttpHeaders } from 'node:http';
import { stringAt, textAt } from './json-text.ts';
import { nameOf, readHeaderValue } from './modern-headers.ts';
import { scanPayload, type PayloadScan } from './scan.ts';
import type { ServerSays } from './server-says.ts';

/** Error codes that MCP 2026-07-28 gives an HTTP status of their own. */
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;
const STATUS_OF_CODE: Readonly<Record<number, number>> = { [METHOD_NOT_FOUND]: 404, [HEADER_MISMATCH]: 400, [-32021]: 400, [UNSUPPORTED_VERSION]: 400 };

const OLDER_VERSIONS = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
const VERSION_HEADER = 'mcp-protocol-version';
const META = 'params._meta.io.modelcontextprotocol';
const NEEDS_NAME = ['tools/call', 'prompts/get', 'resources/read'];

/** Does a POST speak 2026-07-28 or later, by its header or by its message? */
export function isModern(headers: IncomingHttpHeaders, text: string, { messages }: PayloadScan): boolean {
  const named = [header(headers, VERSION_HEADER), ...messages.map(({ fields }) => stringAt(text, fields[`${META}/protocolVersion`]))];
  return named.some((version) => version !== undefined && !OLDER_VERSIONS.has(version));
}

/**
 * What a server has to refuse because headers and message disagree or lack something (MCP 2026-07-28, Server Validation); a stdio
 * server sees no headers, so Bursar does it in its place. Gives the JSON-RPC error, which goes with HTTP 400.
 */
export function refuseModern(headers: IncomingHttpHeaders, text: string, scan: PayloadScan, { mirrored, versions }: Pick<ServerSays, 'mirrored' | 'versions'>): string | undefined {
  const [message] = scan.messages;
  if (message === undefined || scan.batch || message.fields.method === undefined) return refusal('null', INVALID_REQUEST, 'Send one request or notification in each POST.');
  const { fields } = message;
  const idText = fields.id === undefined ? 'null' : textAt(text, fields.id);
  const mismatch = (what: string): string => refusal(idText, HEADER_MISMATCH, `Header mismatch: ${what}.`);
  const version = header(headers, VERSION_HEADER);
  if (version === undefined) return mismatch('MCP-Protocol-Version is missing');
  if (message.kind !== 'request') return undefined;
  const claimed = stringAt(text, fields[`${META}/protocolVersion`]);
  if (claimed === undefined) return refusal(idText, INVALID_PARAMS, 'params._meta lacks io.modelcontextprotocol/protocolVersion.');
  if (claimed !== version) return mismatch('MCP-Protocol-Version is not the version in params._meta');
  // A server that was opened in one version may not look at the others' any more.
  if (versions !== undefined && !versions.includes(version)) return refusal(idText, UNSUPPORTED_VERSION, `Unsupported protocol version: ${version}`, { supported: versions, requested: version });
  if (fields[`${META}/clientCapabilities`] === undefined) return refusal(idText, INVALID_PARAMS, 'params._meta lacks io.modelcontextprotocol/clientCapabilities.');
  const method = stringAt(text, fields.method) ?? '';
  if (header(headers, 'mcp-method') !== method) return mismatch('Mcp-Method is not the method of the message');
  const name = nameOf(text, method, message);
  const given = header(headers, 'mcp-name');
  const needed = NEEDS_NAME.includes(method) && name !== undefined;
  if ((needed || given !== undefined) && name !== undefined && (given === undefined || readHeaderValue(given) !== name)) return mismatch('Mcp-Name is not the name in the message');
  if (method !== 'tools/call' || name === undefined) return undefined;
  const args = fields['params.arguments'];
  for (const [param, value] of mirrored.valuesOf(name, args && textAt(text, args)) ?? []) {
    const sent = header(headers, param);
    if (sent === undefined || readHeaderValue(sent) !== value) return mismatch(`${param} is not the argument of the call`);
  }
  return undefined;
}

/** The HTTP status that goes with an answer of a stdio server. */
export function statusOfAnswer(text: string): number | undefined {
  const [message] = scanPayload(text).messages;
  const code = message?.fields['error.code'];
  return code === undefined ? undefined : STATUS_OF_CODE[Number(textAt(text, code))];
}

const header = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
};

const refusal = (idText: string, code: number, message: string, data?: object): string => `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify({ code, message, data })}}`;
