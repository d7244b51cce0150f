import { Argument, type Command } from 'commander';
import { ClientKind, type ClientPreview, type ClientRegistration, type ClientServer } from '../../shared/contract/clients.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface ConnectOptions {
  readonly each?: boolean;
  readonly preview?: boolean;
  readonly undo?: boolean;
  readonly protect?: string;
  readonly link?: boolean;
  readonly json?: boolean;
}

/** `bursar connect …` and `bursar upstream import`. */
export function addConnectCommand(program: Command, { withConnection, print, command }: CommandTools): void {
  program
    .command('connect')
    .description('register Bursar in an MCP client of this machine, or put it in the place of one of its servers; without a client, list them')
    .addArgument(new Argument('[client]', 'the client').choices(ClientKind.options))
    .option('--each', 'one entry for each server in place of one for all')
    .option('--protect <server>', "put Bursar in the place of that server of the client's own")
    .option('--preview', 'show what would change, and write nothing')
    .option('--undo', 'take it back: the file is as it was')
    .option('--link', 'print an address that makes the client add Bursar; it carries a token')
    .option(...JSON_OPTION)
    .action((kind: ClientKind | undefined, { json, ...options }: ConnectOptions) =>
      withConnection(async (connection) => {
        if (kind === undefined) return listClients(connection, (value, lines) => print(json, value, lines), command);
        const { value, lines } = await connectClient(connection, kind, options);
        print(json, value, () => lines);
      }),
    );
}

type Print = (value: unknown, lines: () => readonly string[]) => void;

async function listClients({ request }: Connection, print: Print, command: (words: string) => string): Promise<void> {
  const { clients } = await request('clients.list', {});
  const { servers } = await request('clients.importable', {});
  print({ clients, servers }, () => [
    ...table(clients.map(({ kind, name, state, path }) => [kind, name, STATES[state], path])),
    ...(servers.length === 0 ? [] : ['', "Servers in these clients' files:", ...table(servers.map(serverRow))]),
    '',
    `Register in one with: ${command('connect CLIENT')}`,
  ]);
}

async function connectClient({ request }: Connection, kind: ClientKind, { each = false, preview: onlyPreview = false, undo = false, link = false, protect }: ConnectOptions): Promise<{ readonly value: unknown; readonly lines: readonly string[] }> {
  if (Number(onlyPreview) + Number(undo) + Number(link) > 1) throw new BursarError('INPUT_INVALID', 'Give one of --preview, --undo and --link.');
  if (link) {
    const { url } = await request('clients.link', { kind });
    return { value: { kind, url }, lines: [url] };
  }
  const entries = each ? ('each' as const) : ('all' as const);
  const server = protect === undefined ? undefined : { kind, name: protect };
  if (undo && server) {
    await request('clients.unprotect', server);
    return { value: { ...server, protected: false }, lines: [`${JSON.stringify(server.name)} is reached directly again.`] };
  }
  if (undo) {
    const undone = await request('clients.undo', { kind });
    return { value: undone, lines: [`${undone.name} is as it was: ${undone.path}`] };
  }
  const preview = server ? await request('clients.previewProtect', server) : await request('clients.preview', { kind, entries });
  if (onlyPreview) return { value: preview, lines: previewLines(preview) };
  const { digest } = preview;
  if (server) {
    const taken = await request('clients.protect', { ...server, digest });
    return { value: taken, lines: [...previewLines(preview), '', `${taken.client} reaches ${JSON.stringify(taken.name)} through Bursar now. Restart it once.`] };
  }
  const registered = await request('clients.register', { kind, entries, digest });
  return { value: registered, lines: [...previewLines(preview), '', `Registered in ${registered.name}. Restart it once.`] };
}

const previewLines = ({ path, before, after, changes }: ClientPreview): readonly string[] => {
  if (!changes) return [`Nothing would change in ${path}.`];
  const marked = (text: string, sign: string) => (text === '' ? [] : text.split('\n').map((line) => `${sign} ${line}`));
  return [path, ...marked(before, '-'), ...marked(after, '+')];
};

/** `bursar upstream import`. */
export function addImportCommand(upstream: Command, { withConnection, print }: Pick<CommandTools, 'withConnection' | 'print'>): void {
  upstream
    .command('import')
    .description("add a server that stands in a client's file; without one, list them")
    .addArgument(new Argument('[client]', 'the client').choices(ClientKind.options))
    .argument('[server]', 'its name there')
    .option(...JSON_OPTION)
    .action((kind: ClientKind | undefined, name: string | undefined, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        if (kind === undefined || name === undefined) {
          const listed = await request('clients.importable', {});
          const servers = listed.servers.filter((server) => kind === undefined || server.kind === kind);
          return print(json, { servers }, () => (servers.length === 0 ? ['There is no server in the files of your clients.'] : table(servers.map(serverRow))));
        }
        const added = await request('clients.import', { kind, name });
        print(json, added, () => [`Added ${added.upstream}.`]);
      }),
    );
}

const STATES: Readonly<Record<ClientRegistration['state'], string>> = { absent: 'not installed', unregistered: 'not registered', registered: 'registered', malformed: 'its file cannot be read' };

const SERVER_STATES: Readonly<Record<ClientServer['state'], string>> = { free: 'not behind Bursar', imported: 'Bursar has it too', protected: 'reached through Bursar', unfit: '' };

const serverRow = ({ kind, name, state, address, problem }: ClientServer): readonly string[] => [kind, JSON.stringify(name), problem ?? SERVER_STATES[state], cleanText(address)];
