import { stringAt } from './json-text.ts';
import { scanPayload } from './scan.ts';

const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The HTTP headers that a 2026-07-28 message needs and a stdio client cannot send: they repeat what the message says of
 * itself. Empty for messages of the older protocol, which name no version in their `_meta`.
 */
export function modernHeaders(text: string): Record<string, string> {
  // Most messages are of the older era: this spares them the scan.
  if (!text.includes('io.modelcontextprotocol/protocolVersion')) return {};
  const { batch, messages } = scanPayload(text);
  const fields = messages[0]?.fields;
  if (batch || fields === undefined) return {};
  const version = stringAt(text, fields['params._meta.io.modelcontextprotocol/protocolVersion']);
  const method = stringAt(text, fields.method);
  if (version === undefined || method === undefined) return {};
  const name = stringAt(text, method === 'resources/read' ? fields['params.uri'] : fields['params.name']);
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method };
  if (name !== undefined && ['tools/call', 'resources/read', 'prompts/get'].includes(method)) {
    headers['mcp-name'] = HEADER_SAFE.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
  }
  return headers;
}
