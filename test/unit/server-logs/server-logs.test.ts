import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';
import { secretsOf, shownLine } from '../../../src/main/bridge/shown-line.ts';
import { createServerLogs } from '../../../src/main/server-logs/server-logs.ts';
import { shownArguments } from '../../../src/main/clients/foreign-server.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { cleanText } from '../../../src/shared/text/clean-text.ts';

const stdio = (changes: object = {}): UpstreamSpec => ({ name: 'files', transport: { kind: 'stdio', command: 'npx', args: ['files-mcp'], ...changes } });
const SECRET = 'hunter2-hunter2';

function open() {
  let now = 1_000;
  let told = 0;
  const logs = createServerLogs({ now: () => now, changed: () => void told++ });
  return { logs, pass: (ms: number) => void (now += ms), told: () => told };
}

describe('I6: a secret of a server stands in its log', () => {
  test('as it was given, in part of a header, or in an argument', () => {
    const { logs } = open();
    const link = logs.opened(stdio({ args: ['files-mcp', '--api-key', 'arg-secret-1', '--token=arg-secret-2'], env: { KEY: SECRET, PORT: '8080' } }));
    link.stderr(`using ${SECRET} and arg-secret-1 and arg-secret-2 on port 8080`);
    link.ended(new BursarError('UPSTREAM_EXITED', `The server ended: ${SECRET}`));
    const text = JSON.stringify([logs.lines('files'), logs.health('files')]);
    expect(text).not.toMatch(/hunter2|arg-secret/);
    expect(text).toContain('using (hidden) and (hidden) and (hidden) on port 8080');
    expect(secretsOf({ kind: 'http', url: 'https://a.example', headers: { Authorization: `Bearer ${SECRET}` } }, shownArguments)).toContain(SECRET);
  });

  test('because it is longer than what is looked at, stands where the look ends, or has many lines', () => {
    const long = `S${'abc123DEF'.repeat(200)}`;
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----';
    const secrets = secretsOf({ kind: 'stdio', command: 'x', args: [], env: { LONG: long, PEM: pem, ONE_LINE: 'first-line-1\\nsecond-line-2' } });
    expect(shownLine(`creds ${long} end`, secrets, 400)).toBe('creds (hidden) end');
    expect(shownLine(`${long} `.repeat(40), secrets, 400)).not.toMatch(/abc|DEF/);
    expect(shownLine(`${'\u200b'.repeat(4_790)}${long.slice(0, 60)}`, secrets, 400)).not.toMatch(/abc|DEF/);
    for (const at of [1180, 1190, 1195, 1199, 1229]) expect(shownLine(`${'\u200b'.repeat(at)}${SECRET} and more`, [SECRET], 400)).not.toContain('hunter');
    expect(shownLine('MIIEvQIBADANBgkqhkiG9w0 second-line-2', secrets, 400)).toBe('(hidden) (hidden)');
    expect(shownLine('two\u00a0words-of-it', secretsOf({ kind: 'stdio', command: 'x', args: [], env: { A: 'two\u00a0words-of-it' } }), 400)).toBe('(hidden)');
    expect(shownLine('x'.repeat(5_000), [SECRET], 400)).toBe(`${'x'.repeat(400)}…`);
  });

  test('split by characters that nobody sees, coloured, or named as one', () => {
    expect(shownLine(`a hunter2\u001b[31m-hun\u200bter2 b`, [SECRET], 400)).toBe('a (hidden) b');
    expect(shownLine('Authorization: Bearer abcdef123456', [], 400)).toBe('Authorization: Bearer (hidden)');
    expect(shownLine('{"api_key": "abcdef", "n": 1}', [], 400)).toBe('{"api_key": "(hidden)", "n": 1}');
    expect(shownLine('GET https://ada:pass@host/x', [], 400)).toBe('GET https://(hidden)@host/x');
    expect(shownLine(`${'x'.repeat(390)} ${SECRET}`, [SECRET], 400)).not.toContain('hunter');
  });
});

describe('a line of a server does something to who reads it', () => {
  test.each([
    ['\u001b[2J\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;a title\u0007said', 'said'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b31mred', 'red'],
    ['\u001b]0;never ends', ''],
    ['a\u202egnp.exe\u2066', 'agnp.exe'],
    ['one\rtwo\u0008\u0000', 'one two'],
  ])('%j', (line, shown) => expect(shownLine(line, [], 400)).toBe(shown));

  test('whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.array(fc.string({ minLength: 6, maxLength: 12 }), { maxLength: 3 }), (line, secrets) => {
        const shown = shownLine(`${line}\u001b[3${secrets.join('\u001b')}`, secrets, 400);
        expect(cleanText(shown, 500)).toBe(shown);
        expect(shown).not.toContain('\n');
        expect(Array.from(shown).length).toBeLessThanOrEqual(401);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the log of a server', () => {
  test('grows without bound, or fills with one line that is said again', () => {
    const { logs } = open();
    const link = logs.opened(stdio());
    for (let index = 0; index < 500; index++) link.stderr(`line ${index} ${'x'.repeat(5_000)}`);
    expect(logs.lines('files')).toHaveLength(200);
    expect(logs.lines('files').at(-1)?.text).toMatch(/^line 499 x+…$/);
    for (let index = 0; index < 50; index++) link.stderr('again');
    expect(logs.lines('files').at(-1)).toMatchObject({ text: 'again', times: 50 });
    const { number } = logs.lines('files').at(-1)!;
    expect(logs.lines('files', number)).toEqual([]);
    link.stderr('again');
    expect(logs.lines('files', number)).toMatchObject([{ text: 'again', times: 51 }]);
  });

  test('goes on under the name of a server that was removed', () => {
    const { logs } = open();
    const link = logs.opened(stdio());
    logs.forget('files');
    link.stderr('late');
    link.ended();
    expect([logs.lines('files'), logs.health('files').state]).toEqual([[], 'stopped']);
  });
});

test('a server is said to run that ended, or its failure is not told', () => {
  const { logs, pass, told } = open();
  expect(logs.health('files')).toEqual({ name: 'files', state: 'stopped', links: 0, starts: 0 });
  const first = logs.opened(stdio());
  const second = logs.opened(stdio());
  expect(logs.health('files')).toMatchObject({ state: 'running', links: 2, starts: 2, startedAt: 1_000 });
  first.ended();
  expect(logs.health('files')).toMatchObject({ state: 'running', links: 1 });
  second.ended(new BursarError('UPSTREAM_EXITED', 'It ended (exit code 1).'));
  logs.restarts('files', 500);
  expect(logs.health('files')).toMatchObject({ state: 'restarting', lastError: { code: 'UPSTREAM_EXITED', message: 'It ended (exit code 1).' } });
  pass(501);
  expect(logs.health('files').state).toBe('stopped');
  expect(told()).toBe(5);
  expect(logs.lines('files').map(({ kind }) => kind)).toEqual(['event', 'event', 'error', 'event']);
});
