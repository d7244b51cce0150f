import { InvalidArgumentError, Option, type Command } from 'commander';
import type { UpstreamTest } from '../../shared/contract/upstreams.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { addImportCommand } from './connect-command.ts';
import { headerPair, pair } from './options.ts';
import { addUpstreamAuthCommands } from './upstream-auth-commands.ts';
import { addAuthOptions, authOf, type AuthOptions } from './upstream-auth-options.ts';
import { addPasted } from './upstream-paste.ts';
import { addUpstreamStateCommands } from './upstream-state-commands.ts';
import { table, upstreamLines } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface AddOptions extends AuthOptions {
  readonly url?: string;
  readonly header?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly paste?: string;
  readonly preview?: boolean;
  readonly json?: boolean;
}

/** `bursar upstream …`. */
export function addUpstreamCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print, command } = tools;
  const upstream = program.command('upstream').description('servers behind the bridge');
  const add = upstream
    .command('add')
    .description("add a server: by address, by the command that starts it after --, or out of a client's JSON or TOML")
    .argument('[name]', 'what it is called; with --paste only that one of several')
    .argument('[command...]', 'command and arguments of a stdio server')
    .option('--url <url>', 'address of a Streamable HTTP server')
    .option('--header <name=value>', 'header for each request, also as "Name: value" (repeatable)', headerPair)
    .option('--env <name=value>', 'variable for the command (repeatable)', pair)
    .option('--paste <file>', "a client's JSON or TOML with the server, - for standard input")
    .option('--preview', 'with --paste: show what would be added, and add nothing');
  addAuthOptions(add, port)
    .option(...JSON_OPTION)
    .action(async (name: string | undefined, words: string[], options: AddOptions) => {
      const { paste } = options;
      if (paste !== undefined) {
        checkPaste(options, words);
        return withConnection(async (connection) => {
          const { value, lines } = await addPasted(connection, { paste, name, onlyPreview: options.preview ?? false });
          print(options.json, value, () => lines);
        });
      }
      if (name === undefined) throw new BursarError('INPUT_INVALID', 'The server needs a name.', { hint: 'See: upstream add --help' });
      const [executable, ...args] = words;
      checkUpstream(options, executable);
      const auth = authOf(options);
      await withConnection(async ({ request }) => {
        const transport = options.url === undefined ? { kind: 'stdio' as const, command: executable!, args, env: options.env ?? {} } : { kind: 'http' as const, url: options.url, headers: options.header ?? {}, ...(auth && { auth }) };
        const added = await request('upstreams.add', { name, transport });
        const next = auth?.kind === 'oauth' ? `Sign in to it with: ${command(`upstream authorize ${added.name}`)}` : `See whether it answers with: ${command(`upstream test ${added.name}`)}`;
        print(options.json, added, () => [`Added ${added.name}: ${added.address}`, next]);
      });
    });
  upstream
    .command('list')
    .description('list the servers')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('upstreams.list', {});
        print(json, listed, () => upstreamLines(listed.upstreams, command));
      }),
    );
  upstream
    .command('test')
    .description('start or reach a server as a client would, and list its tools with what they say they cost; nothing is called or paid')
    .argument('<name>')
    .option('--within <seconds>', 'how long it may take', seconds, 60)
    .option(...JSON_OPTION)
    .action((name: string, { within, json }: { within: number; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const tested = await request('upstreams.test', { name, withinSeconds: within });
        print(json, tested, () => testLines(tested));
      }),
    );
  addImportCommand(upstream, tools);
  addUpstreamStateCommands(upstream, tools);
  addUpstreamAuthCommands(upstream, tools, seconds);
  upstream
    .command('set')
    .description('change how a server is treated')
    .argument('<name>', 'a server, or the host of a paid HTTP API')
    .addOption(new Option('--settlement <who>', 'who settles its payments: the server, as usual, or the client (Bursar, before the retry), which a usual server does not expect').choices(['client', 'server']).makeOptionMandatory())
    .option(...JSON_OPTION)
    .action((name: string, { settlement, json }: { settlement: 'client' | 'server'; json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('upstreams.setSettlement', { name, settlement });
        print(json, { name, settlement }, () => [settlement === 'client' ? `Bursar settles the payments of ${name} itself, before the retry.` : `${name} settles its payments itself.`]);
      }),
    );
  upstream
    .command('remove')
    .description('remove a server')
    .argument('<name>')
    .option(...JSON_OPTION)
    .action((name: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('upstreams.remove', { name });
        print(json, { name, removed: true }, () => [`Removed ${name}.`]);
      }),
    );
}

function testLines({ name, server, protocolVersion, tookMs, tools, more }: UpstreamTest): readonly string[] {
  const count = tools.length + more;
  const head = `${name} answered in ${tookMs} ms: ${server || 'a server without a name'}, MCP ${protocolVersion || 'of an unnamed version'}, ${count} ${count === 1 ? 'tool' : 'tools'}.`;
  const width = 80;
  const short = (text: string) => (text.length > width ? `${text.slice(0, width)}…` : text);
  return [
    head,
    ...table(tools.map((tool) => [`  ${tool.name}`, tool.price || 'no price listed', short(tool.description.split('\n')[0] ?? '')])),
    ...(more > 0 ? [`  … and ${more} more.`] : []),
  ];
}

function checkPaste({ url, header, env, oauth, clientCredentials }: AddOptions, words: readonly string[]): void {
  if (url === undefined && header === undefined && env === undefined && !oauth && !clientCredentials && words.length === 0) return;
  throw new BursarError('INPUT_INVALID', 'With --paste the text alone says how a server is reached.', { hint: 'See: upstream add --help' });
}

/** Refuses what would be added otherwise than it was meant. */
function checkUpstream({ url, header, env, preview, oauth, clientCredentials }: AddOptions, command: string | undefined): void {
  const refuse = (message: string) => {
    throw new BursarError('INPUT_INVALID', message, { hint: 'See: upstream add --help' });
  };
  if ((url === undefined) === (command === undefined)) refuse('Give either --url or a command after --.');
  if (command?.startsWith('-')) refuse(`The command "${command}" begins with -, as an option does.`);
  if (url !== undefined && env !== undefined) refuse('--env is for a command and not for --url.');
  if (command !== undefined && (oauth || clientCredentials)) refuse('--oauth and --client-credentials are for --url and not for a command.');
  if (preview) refuse('--preview goes with --paste.');
  if (command !== undefined && header !== undefined) refuse('--header is for --url and not for a command.');
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1024 || number > 65_535) throw new InvalidArgumentError('It has to be a number from 1024 to 65535.');
  return number;
}

function seconds(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 600) throw new InvalidArgumentError('It has to be a number from 1 to 600.');
  return number;
}
