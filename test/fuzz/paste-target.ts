import { pastedServers, transportsInPaste } from '../../src/main/clients/pasted-servers.ts';
import { shownLine } from '../../src/main/bridge/shown-line.ts';
import { UpstreamTransport } from '../../src/shared/contract/upstreams.ts';
import { PastedServer } from '../../src/shared/contract/upstream-state.ts';
import { isBursarError } from '../../src/shared/errors/errors.ts';
import { cleanText } from '../../src/shared/text/clean-text.ts';
import { hidesCharacters, shownExactly } from '../../src/shared/text/shown-exactly.ts';
import { CONFIGS } from './seeds.ts';
import type { Target } from './targets.ts';

const wrong = (why: string): Error => new Error(`wrong: ${why}`);
const KNOWN = { isTaken: (name: string) => name === 'files', known: () => undefined, isBursar: () => false };

const PASTES: readonly string[] = [
  '"weather": { "command": "npx", "args": ["-y", "weather-mcp"] },',
  '```json\n{ "servers": { "a": { "type": "http", "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer x" } } } }\n```',
  '{ "name": "x", "command": "C:\\\\Program Files\\\\x.exe", "args": ["--key=value"], "env": { "N": 1, "B": true } }',
  '{"mcp":{"servers":{"__proto__":{"command":"a"},"constructor":{"url":"http://[::1]:1/"}}}}',
];

/** What is shown of a paste has to be what would be started: nothing hidden, nothing left out, nobody's name taken. */
export const pastes: Target = {
  name: 'pasted servers',
  seeds: [...CONFIGS, ...PASTES],
  run(text) {
    const servers = pastedServers(text, KNOWN);
    if (new Set(servers.map(({ name }) => name)).size !== servers.length) throw wrong('two servers have one name');
    for (const server of servers) {
      const parsed = PastedServer.safeParse(server);
      if (!parsed.success) throw wrong('what is shown of a server is none');
      if (KNOWN.isTaken(server.name)) throw wrong('a name is taken already');
      if ([server.entry, ...server.words, ...server.secrets].some(hidesCharacters)) throw wrong('a word hides characters');
      if (server.transport === undefined) continue;
      const transport = transportOf(text, server.entry);
      if (transport === undefined) continue;
      if (!UpstreamTransport.safeParse(transport).success) throw wrong('what would be added cannot be');
      const words = transport.kind === 'http' ? [transport.url] : [transport.command, ...transport.args];
      if (words.map(shownExactly).join('\n') !== server.words.join('\n')) throw wrong('another command is shown than would be run');
    }
  },
};

/** Of several that are shown alike none can be added. */
function transportOf(text: string, entry: string): UpstreamTransport | undefined {
  try {
    return transportsInPaste(text, [entry], KNOWN)[0];
  } catch (error) {
    if (isBursarError(error, 'INPUT_INVALID')) return undefined;
    throw error;
  }
}

/** A line of a server's log does nothing to the page or terminal that shows it. */
export const logLines: Target = {
  name: 'log lines',
  seeds: ['\u001b[31mred\u001b[0m', '\u001b]0;title\u0007x', 'Authorization: Bearer abcdef123456', 'https://a:b@host/?token=secret', '\u009b2Ja\u202eb'],
  run(text) {
    for (const secret of ['secret', text.slice(3, 15)]) {
      const shown = shownLine(text, [secret].filter((one) => one.length >= 6), 400);
      if (cleanText(shown, 500) !== shown || shown.includes('\n')) throw wrong('a line holds characters that do something');
      if (Array.from(shown).length > 401) throw wrong('a line is too long');
    }
  },
};
