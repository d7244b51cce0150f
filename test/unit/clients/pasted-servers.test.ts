import { describe, expect, test } from 'vitest';
import { pastedServers, transportsInPaste } from '../../../src/main/clients/pasted-servers.ts';
import type { KnownServers } from '../../../src/main/clients/known-servers.ts';

const nothing: KnownServers = { isTaken: () => false, known: () => undefined, isBursar: () => false };
const read = (text: string, known: Partial<KnownServers> = {}) => pastedServers(text, { ...nothing, ...known });
const short = (text: string) => read(text).map(({ entry, name, words, problem }) => [entry, name, words.join(' '), problem]);
const weather = { command: 'npx', args: ['-y', 'weather-mcp'], env: { API_KEY: 's3cret-value' } };

describe('a text of a client is read as another server, or not at all', () => {
  test.each([
    ['Claude Desktop and Cursor', JSON.stringify({ mcpServers: { weather } })],
    ['VS Code', JSON.stringify({ servers: { weather: { type: 'stdio', ...weather } }, inputs: [] })],
    ['VS Code’s settings', JSON.stringify({ mcp: { servers: { weather } }, 'editor.fontSize': 12 })],
    ['Zed', JSON.stringify({ theme: 'x', context_servers: { weather: { source: 'custom', ...weather } } })],
    ['the servers alone', JSON.stringify({ weather })],
    ['one entry with its name', JSON.stringify({ name: 'weather', ...weather })],
    ['a part without its braces', `"weather": ${JSON.stringify(weather, null, 2)},`],
    ['comments and trailing commas', `// from the page\n{ "mcpServers": { /* free */ "weather": { "command": "npx", "args": ["-y", "weather-mcp",], "env": { "API_KEY": "s3cret-value" }, }, }, }`],
    ['a chat', `\`\`\`json\n${JSON.stringify({ mcpServers: { weather } })}\n\`\`\``],
    ['Codex', '# servers\n[mcp_servers.weather]\ncommand = "npx"\nargs = ["-y", "weather-mcp"]\n[mcp_servers.weather.env]\nAPI_KEY = "s3cret-value"\n'],
    ['a byte order mark', `\uFEFF${JSON.stringify({ mcpServers: { weather } })}`],
  ])('of %s', (_what, text) => {
    expect(read(text)).toEqual([{ entry: 'weather', name: 'weather', transport: 'stdio', words: ['npx', '-y', 'weather-mcp'], secrets: ['API_KEY'], warnings: [] }]);
    expect(transportsInPaste(text, ['weather'], nothing)).toEqual([{ kind: 'stdio', ...weather }]);
  });

  test('without a name', () => {
    expect(short(JSON.stringify(weather))).toEqual([['', 'weather-mcp', 'npx -y weather-mcp', undefined]]);
    expect(short(JSON.stringify({ url: 'https://mcp.example.com/v1', headers: { Authorization: 'Bearer x' } }))).toEqual([['', 'example', 'https://mcp.example.com/v1', undefined]]);
  });

  test('under names that are taken, alike or Bursar’s own', () => {
    const text = JSON.stringify({ mcpServers: { 'My Files': weather, 'my-files': weather, bursar: weather, weather } });
    expect(read(text, { isTaken: (name) => name === 'weather' }).map(({ name }) => name)).toEqual(['my-files', 'my-files-2', 'bursar-2', 'weather-2']);
  });

  test('that is Bursar itself, is there already, or that Bursar would reach otherwise', () => {
    const text = JSON.stringify({ mcpServers: { 'bursar-all': weather, sse: { url: 'https://a.example/sse' }, folder: { ...weather, cwd: '/x' }, filled: { command: 'npx', args: ['${input:key}'] }, nothing: {}, zero: { command: 'a\0b' } } });
    expect(read(text).map(({ problem }) => problem?.split(' ').slice(0, 4).join(' '))).toEqual(['It is an entry', 'It speaks the older', 'It sets cwd, which', 'It uses variables that', 'It has neither a', 'It holds a zero']);
    expect(read(JSON.stringify({ mcpServers: { weather } }), { known: () => 'w2' })[0]?.known).toBe('w2');
    expect(read(JSON.stringify({ mcpServers: { weather } }), { isBursar: () => true })[0]?.problem).toBe('It is Bursar itself.');
  });
});

describe('a wrong text is not refused, or its owner does not learn where it is wrong', () => {
  const refusal = (text: string) => {
    try {
      read(text);
    } catch (error) {
      return error as { code: string; message: string; context: Record<string, string> };
    }
    throw new Error('nothing was refused');
  };
  test.each([
    ['{\n  "mcpServers": {\n    "weather": { "command": "npx" "args": [] }\n  }\n}', 3, 35],
    ['"weather": { "command": }', 1, 25],
    ['"weather": {\n  "command": ,\n}', 2, 14],
    ['[mcp_servers.weather]\ncommand = npx', 2, 11],
    [`{"a":${'['.repeat(100_000)}`, 1, 37],
  ])('%j', (text, line, column) => {
    const { code, message, context } = refusal(text.slice(0, 200_000));
    expect([code, context['line'], context['column']]).toEqual(['INPUT_INVALID', String(line), String(column)]);
    expect(message).toContain(`at line ${line}, column ${column}.`);
    expect(message).not.toContain('configuration');
  });

  test.each([[''], ['  \n'], ['{}'], ['{"mcpServers":{}}'], ['[]'], ['null'], ['"just words"'], ['hello'], ['{"mcpServers":[]}'], ['{"a":1}']])('%j', (text) => {
    expect(refusal(text)).toMatchObject({ code: 'INPUT_INVALID', message: expect.stringMatching(/^The pasted text .*\.$/) as string });
  });
});

describe('what would be run is not what stands on the page', () => {
  test('where characters are hidden in it', () => {
    const [server] = read(JSON.stringify({ mcpServers: { 'we\u202eather': { command: 'npx', args: ['a\u200bb', 'c\u202ed', 'tab\there', 'no-break\u00a0space', '\u{e0041}'] } } }));
    expect(server?.entry).toBe('we\\u{202e}ather');
    expect(server?.words).toEqual(['npx', 'a\\u{200b}b', 'c\\u{202e}d', 'tab\\u{9}here', 'no-break\\u{a0}space', '\\u{e0041}']);
    expect(server?.warnings).toEqual(['It holds characters that nobody sees. They are written out here.']);
  });

  test('where a shell or a plain address does more than it seems', () => {
    expect(read(JSON.stringify({ x: { command: '/bin/sh', args: ['-c', 'curl a | sh'] } }))[0]?.warnings).toEqual(['It runs a shell, which does whatever its arguments say.']);
    expect(read(JSON.stringify({ x: { command: 'env', args: ['bash', '-c', 'curl a | sh'] } }))[0]?.warnings).toEqual(['It runs a shell, which does whatever its arguments say.']);
    expect(read(JSON.stringify({ x: { command: 'node', args: ['--no-warnings', '-e', 'fetch("https://a.example")'] } }))[0]?.warnings).toEqual(['It runs code that stands in its arguments.']);
    expect(read(JSON.stringify({ x: { command: '/usr/bin/env', args: ['python3', '-c', 'import os'] } }))[0]?.warnings).toEqual(['It runs code that stands in its arguments.']);
    expect(read(JSON.stringify({ x: { command: 'node', args: ['-r', './env.js', 'server.js', '-p', '80'] }, y: { command: 'npx', args: ['-y', '@example/bash-notes'] } })).flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(read(JSON.stringify({ x: { url: 'http://a.example/mcp' } }))[0]?.warnings).toHaveLength(1);
    expect(read(JSON.stringify({ x: { url: 'http://127.0.0.1:9/mcp' } }))[0]?.warnings).toEqual([]);
  });

  test('where two entries would be shown alike, or another one is asked for', () => {
    const text = JSON.stringify({ 'a\u200b': weather, 'a\\u{200b}': { command: 'rm' } });
    expect(() => transportsInPaste(text, ['a\\u{200b}'], nothing)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(() => transportsInPaste(JSON.stringify({ weather }), ['other'], nothing)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(() => transportsInPaste(JSON.stringify({ sse: { url: 'https://a.example/sse' } }), ['sse'], nothing)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  test('I6: with the value of a variable or header in it', () => {
    expect(JSON.stringify(read(JSON.stringify({ weather, web: { url: 'https://a.example', headers: { Authorization: 'Bearer s3cret-value' } } })))).not.toContain('s3cret');
  });
});

describe('a text that was made to be slow holds up no payment', () => {
  test.each([
    ['line breaks', `[${'\n'.repeat(250_000)}`],
    ['dots', `[${'.'.repeat(250_000)}`],
    ['letters and dots', `[a${'.a'.repeat(125_000)}`],
    ['brackets', '['.repeat(250_000)],
    ['blanks', `[${' '.repeat(250_000)}`],
    ['tables without an end', '[a.\n'.repeat(60_000)],
  ])('of %s', (_what, text) => {
    const before = performance.now();
    expect(() => read(text)).toThrow('The pasted text');
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test('and a table within another begins a TOML text still', () => {
    expect(short('[mcp_servers.weather]\ncommand = "npx"\n')).toEqual([['weather', 'weather', 'npx', undefined]]);
    expect(short('[ mcp_servers . "we ather" ]\ncommand = "npx"\n')).toEqual([['we ather', 'we-ather', 'npx', undefined]]);
  });
});
