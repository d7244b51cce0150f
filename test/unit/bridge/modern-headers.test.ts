import { expect, test } from 'vitest';
import { headerValue, modernFacts, modernHeaders, readHeaderValue } from '../../../src/main/bridge/modern-headers.ts';
import { scanPayload } from '../../../src/main/bridge/scan.ts';

const message = (method: string, params: object, version: string | undefined = '2026-07-28'): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': version } } });

test.each<[string, string, Record<string, string>]>([
  ['a call', message('tools/call', { name: 'add' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' }],
  ['a resource', message('resources/read', { uri: 'note://one' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': 'note://one' }],
  ['a name that no header can hold', message('tools/call', { name: 'zürich\n' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?esO8cmljaAo=?=' }],
  ['a task', message('tasks/get', { taskId: 't-1' }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tasks/get', 'mcp-name': 't-1' }],
  ['a list', message('tools/list', {}), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }],
  ['the older protocol', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}', {}],
  ['the key in other places', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"io.modelcontextprotocol/protocolVersion":"1"}}}', {}],
])('%s', (_name, text, expected) => {
  const facts = modernFacts(text, scanPayload(text));
  expect(facts === undefined ? {} : modernHeaders(facts)).toEqual(expected);
});

// The examples of MCP 2026-07-28, Value Encoding.
test.each([
  ['us-west1', 'us-west1'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ['', '=?base64??='],
])('the value %j survives a header', (value, header) => {
  expect(headerValue(value)).toBe(header);
  expect(readHeaderValue(header)).toBe(value);
});

test.each(['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?='])('the broken encoding %s is no value', (header) => {
  expect(readHeaderValue(header)).toBeUndefined();
});
