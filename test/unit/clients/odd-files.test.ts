import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { serversIn, withEntry, withEntryText, withOwnEntries } from '../../../src/main/clients/config-text.ts';
import { CLIENT_SPECS } from '../../../src/main/clients/kinds/kinds.ts';
import { oddJsonc, oddToml } from './odd-files.ts';

const registration = { command: '/opt/no de', args: ['/opt/shim.js', '--home', 'C:\\Users\\ü"'], env: { BURSAR_CLIENT_TOKEN: 'brs_x' } };
const isTolerant = (format: string) => format !== 'json';

/** True where `part` can be had from `whole` by leaving something out in one place or, for a comma, in two. */
function isWholeWithout(whole: string, part: string): boolean {
  let start = 0;
  while (start < part.length && whole[start] === part[start]) start += 1;
  let end = 0;
  while (end < part.length - start && whole.at(-1 - end) === part.at(-1 - end)) end += 1;
  const missing = part.slice(start, part.length - end);
  return missing === '' || whole.slice(start, whole.length - end).startsWith(`,${missing}`);
}

const withoutEmpty = (text: string, key: string): string => text.replaceAll(/\s|,/g, '').replace(`"${key}":{}`, '');

describe.each(Object.values(CLIENT_SPECS).filter(({ shape }) => isTolerant(shape.format)))('in a file of $name', ({ shape, entry }) => {
  const documents = shape.format === 'toml' ? oddToml(shape.key) : oddJsonc(shape.key);
  const wanted = { 'bursar-all': entry(registration) };

  it('a byte of the owner changes when Bursar comes, or stays changed when it goes', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const before = serversIn(text, shape);
        const after = withOwnEntries(text, wanted, shape);
        expect(serversIn(after, shape)).toEqual({ ...before, ...wanted });
        expect(isWholeWithout(after, text) || Object.keys(before).length === 0).toBe(true);
        const undone = withOwnEntries(after, {}, shape);
        // An object that was empty, or not there, may come back with other space inside.
        if (Object.keys(before).length > 0) expect(undone).toBe(text);
        else expect(withoutEmpty(undone, shape.key)).toBe(withoutEmpty(text, shape.key));
      }),
    );
  });

  it('a protected server does not come back byte for byte', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const servers = serversIn(text, shape);
        for (const name of Object.keys(servers)) {
          const { text: taken, replaced } = withEntry(text, name, entry(registration), shape);
          expect(serversIn(taken, shape)).toEqual({ ...servers, [name]: entry(registration) });
          expect(withEntryText(taken, name, replaced, shape)).toBe(text);
        }
      }),
    );
  });
});

describe('comments', () => {
  const { shape, entry } = CLIENT_SPECS.vscode;
  const wanted = { 'bursar-x': entry({ command: 'c', args: [] }) };

  it('a comment on the line of the last server moves to ours, or a trailing comma is doubled', () => {
    const text = '{\n  "servers": {\n    "a": {}, // mine, not yours\n    // alone\n  },\n}\n';
    const after = withOwnEntries(text, wanted, shape);
    expect(after).toBe('{\n  "servers": {\n    "a": {}, // mine, not yours\n    "bursar-x": {\n      "type": "stdio",\n      "command": "c",\n      "args": []\n    },\n    // alone\n  },\n}\n');
    expect(withOwnEntries(after, {}, shape)).toBe(text);
  });

  it('a comment in an empty object is lost', () => {
    const text = '{\n  "servers": { // none yet\n  }\n}\n';
    const after = withOwnEntries(text, wanted, shape);
    expect(after).toContain('{ // none yet\n');
    expect(withOwnEntries(after, {}, shape)).toBe(text);
  });

  it.each(['{ "servers": { "a": 1, "a": 2 } ', '{ "servers": [] }', '{ servers: {} }', '{ "servers": {} } x', '{ "servers": {}, "servers": {} }'])('edits %s', (text) => {
    expect(() => withOwnEntries(text, wanted, shape)).toThrow(expect.objectContaining({ code: 'CLIENT_CONFIG_MALFORMED' }));
  });
});

describe('TOML', () => {
  const { shape, entry } = CLIENT_SPECS.codex;
  const wanted = { 'bursar-all': entry(registration) };

  it('is written in another form than Codex documents', () => {
    const after = withOwnEntries('model = "o"\n\n[mcp_servers.a] # mine\ncommand = "x"\n', wanted, shape);
    expect(after).toBe(
      'model = "o"\n\n[mcp_servers.a] # mine\ncommand = "x"\n\n[mcp_servers.bursar-all]\ncommand = "/opt/no de"\nargs = [ "/opt/shim.js", "--home", "C:\\\\Users\\\\ü\\"" ]\nenv = { BURSAR_CLIENT_TOKEN = "brs_x" }\ntool_timeout_sec = 600\n',
    );
    expect(parse(after)).toMatchObject({ mcp_servers: wanted });
  });

  it('replaces an entry of ours with the lines around it', () => {
    const other = { 'bursar-all': entry({ ...registration, command: '/new' }) };
    const text = '# top\n[mcp_servers.bursar-all]\ncommand = "/old"\nenv.A = "1"\n[mcp_servers.bursar-all.tools.x]\nok = true\n# about b\n[b]\n';
    const after = withOwnEntries(text, other, shape);
    expect(after.startsWith('# top\n[mcp_servers.bursar-all]\ncommand = "/new"\n')).toBe(true);
    expect(after.endsWith('tool_timeout_sec = 600\n# about b\n[b]\n')).toBe(true);
  });

  it.each([
    ['servers inline', 'mcp_servers = { a = { command = "x" } }\n'],
    ['ours with dotted keys', 'mcp_servers.bursar-all.command = "x"\n'],
    ['ours in two places', '[mcp_servers.bursar-all]\ncommand = "x"\n[z]\n[mcp_servers.bursar-all.env]\nA = "1"\n'],
    ['no value', 'a =\n'],
    ['a key twice', 'a = 1\na = 2\n'],
  ])('edits a file with %s', (_what, text) => {
    expect(() => withOwnEntries(text, wanted, shape)).toThrow(expect.objectContaining({ code: 'CLIENT_CONFIG_MALFORMED' }));
  });
});
