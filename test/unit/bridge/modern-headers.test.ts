import { expect, test } from 'vitest';
import { modernHeaders } from '../../../src/main/bridge/modern-headers.ts';

const message = (method: string, params: object, version: string | undefined = '2026-07-28'): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': version } } });

test.each<[string, string, Record<string, string>]>([
  ['a call', message('tools/call', { name: 'add' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' }],
  ['a resource', message('resources/read', { uri: 'note://one' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': 'note://one' }],
  ['a name that no header can hold', message('tools/call', { name: 'zürich\n' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?esO8cmljaAo=?=' }],
  ['a list', message('tools/list', {}), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }],
  ['the older protocol', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}', {}],
  ['the key in other places', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"io.modelcontextprotocol/protocolVersion":"1"}}}', {}],
])('%s', (_name, text, expected) => {
  expect(modernHeaders(text)).toEqual(expected);
});
