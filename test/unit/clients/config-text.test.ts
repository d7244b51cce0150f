import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownEntries as ownIn, withOwnEntries as withOwnIn } from '../../../src/main/clients/config-text.ts';
import { isBursarError } from '../../../src/shared/errors/errors.ts';

const shape = { format: 'json', key: 'mcpServers' } as const;
const ownEntries = (text: string) => ownIn(text, shape);
const withOwnEntries = (text: string, entries: Readonly<Record<string, unknown>>) => withOwnIn(text, entries, shape);

const demo = { command: '/opt/node', args: ['/opt/shim.js', 'demo'] };
const wanted = { 'bursar-demo': demo };

describe('withOwnEntries', () => {
  it('changes bytes outside of its own entry', () => {
    const text = '{\n    "scale": 1.50e+0, "big": 12345678901234567890,\n    "mcpServers": {\n        "other": {"command":"x"  }\n    },\n    "tail": [ ]\n}\n\n';
    const after = withOwnEntries(text, wanted);
    expect(after).toBe(
      '{\n    "scale": 1.50e+0, "big": 12345678901234567890,\n    "mcpServers": {\n        "other": {"command":"x"  },\n        "bursar-demo": {\n            "command": "/opt/node",\n            "args": [\n                "/opt/shim.js",\n                "demo"\n            ]\n        }\n    },\n    "tail": [ ]\n}\n\n',
    );
    expect(withOwnEntries(after, {})).toBe(text);
  });

  it('breaks CRLF files with bare line feeds', () => {
    const after = withOwnEntries('{\r\n\t"mcpServers": {}\r\n}\r\n', wanted);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).toContain('\r\n\t\t"bursar-demo"');
  });

  it('loses the byte order mark, or puts a second one', () => {
    const after = withOwnEntries('\uFEFF{"theme":"dark"}', wanted);
    expect(after.lastIndexOf('\uFEFF')).toBe(0);
    expect(JSON.parse(after.slice(1))).toEqual({ theme: 'dark', mcpServers: wanted });
  });

  it('leaves an entry of ours that is no longer wanted, or takes one that is not ours', () => {
    const after = withOwnEntries(JSON.stringify({ mcpServers: { bursar: demo, 'bursar-old': demo, 'bursar-demo': { command: 'old', args: [] } } }), wanted);
    expect(JSON.parse(after)).toEqual({ mcpServers: { bursar: demo, 'bursar-demo': demo } });
  });

  it('spreads a file of one line over several', () => {
    expect(withOwnEntries('{"a":1}\n', { 'bursar-x': { command: 'c', args: [] } })).toBe('{"a":1,"mcpServers":{"bursar-x":{"command":"c","args":[]}}}\n');
  });

  it('rewrites what is already as wanted', () => {
    const text = '{"mcpServers":{"bursar-demo":{"args":["/opt/shim.js","demo"],"command":"/opt/node"}}}';
    expect(withOwnEntries(text, wanted)).toBe(text);
  });

  it.each(['', ' \n', '\uFEFF'])('refuses the blank file %j', (text) => {
    expect(JSON.parse(withOwnEntries(text, wanted))).toEqual({ mcpServers: wanted });
  });

  it.each([
    ['a comment', '{ // mine\n "mcpServers": {} }'],
    ['a trailing comma', '{ "mcpServers": {}, }'],
    ['a missing brace', '{ "mcpServers": {'],
    ['an array', '[]'],
    ['null', 'null'],
    ['servers in an array', '{ "mcpServers": [] }'],
    ['servers twice', '{ "mcpServers": {}, "mcpServers": {} }'],
    ['our entry twice', '{ "mcpServers": { "bursar-demo": 1, "bursar-demo": 2 } }'],
  ])('edits a file with %s', (_kind, text) => {
    expect(() => withOwnEntries(text, wanted)).toThrow(expect.objectContaining({ code: 'CLIENT_CONFIG_MALFORMED' }));
  });

  it('loses a value of the user, whatever the document', () => {
    const key = fc.string().filter((name) => name !== 'mcpServers' && name !== '__proto__');
    const servers = fc.dictionary(fc.string().filter((name) => !name.startsWith('bursar-') && name !== '__proto__'), fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), servers, fc.constantFrom(undefined, 2, '\t'), (rest, others, space) => {
        const text = JSON.stringify({ ...rest, mcpServers: others }, null, space);
        const after = withOwnEntries(text, wanted);
        const read: unknown = JSON.parse(after);
        expect(read).toEqual(JSON.parse(JSON.stringify({ ...rest, mcpServers: { ...others, ...wanted } })));
        const undone = withOwnEntries(after, {});
        expect(JSON.parse(undone)).toEqual(JSON.parse(text));
        // An object that was empty may have had space inside; any other comes back byte for byte.
        if (Object.keys(others).length > 0) expect(undone).toBe(text);
      }),
    );
  });

  it('throws something other than its own error on arbitrary text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.json().map((text) => `{"mcpServers":${text}}`)), (text) => {
        try {
          expect(ownEntries(withOwnEntries(text, wanted))).toEqual(wanted);
        } catch (error) {
          if (!isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) throw error;
        }
      }),
    );
  });
});
