import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { Environment } from '../../shared/contract/app.ts';
import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { HOME_IN_USE_EXIT } from '../bridge/endpoint.ts';
import { runShim } from '../bridge/shim-run.ts';
import { bursarCommand } from '../bursar-command.ts';
import type { ProgramFiles } from '../program-files.ts';
import { VERSION } from '../version.ts';
import { locate, type GlobalOptions } from '../locate.ts';
import { addAccountCommands } from './account-commands.ts';
import { connect, type Connection, type ConnectOptions } from './connection.ts';
import { pair } from './options.ts';
import { addOwnerCommands } from './owner-commands.ts';
import { addPaymentCommands } from './payment-commands.ts';
import { addPolicyCommands } from './policy-commands.ts';
import { historyLines, ledgerLines, upstreamLines } from './print.ts';
import { runServe } from './run-serve.ts';

export interface Program {
  /** Runs one command line; resolves with the exit code: 0 done, 1 failed, 2 wrong usage, 3 the data folder is in use. */
  run(args: readonly string[]): Promise<number>;
}

/** The `bursar` command. Every command speaks the contract, with the running application or over the data folder itself. */
export function buildProgram(files: ProgramFiles): Program {
  const program = new Command('bursar')
    .description('Pays MCP servers that ask for money, within limits that the owner sets.')
    .version(VERSION)
    .addOption(new Option('--home <dir>', 'data folder (also BURSAR_HOME)'))
    .addOption(new Option('--network <kind>', 'kind of money').choices(Environment.options))
    .enablePositionalOptions()
    .showHelpAfterError()
    .exitOverride();
  let exitCode = 0;

  const globals = (): GlobalOptions => program.opts();
  const command = (words: string) => bursarCommand(words, locate(globals()));
  const withConnection = async (work: (connection: Connection) => Promise<void>, options: ConnectOptions = {}) => {
    const connection = await connect(globals(), files, VERSION, options);
    try {
      await work(connection);
    } finally {
      await connection.close();
    }
  };
  const print = (json: boolean | undefined, value: unknown, lines: () => readonly string[]) =>
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines().map((line) => `${line}\n`).join(''));

  program
    .command('serve')
    .description('run without a window; dashboard and approvals in the browser')
    .addOption(new Option('--home <dir>', 'data folder (also BURSAR_HOME)'))
    .addOption(new Option('--network <kind>', 'kind of money').choices(Environment.options))
    .option('--port <number>', 'port on 127.0.0.1 (0: a free one)', port)
    .option('--vault', 'keep the keys of a new data folder in a vault file, not in the keychain')
    .option('--json', 'print one JSON object when ready')
    .action(async (options: GlobalOptions & { port?: number; vault?: boolean; json?: boolean }) => {
      const location = locate({ ...globals(), ...options });
      await runServe({ ...location, files, version: VERSION, vault: options.vault ?? false, json: options.json ?? false, ...(options.port !== undefined && { port: options.port }) });
    });

  program
    .command('mcp')
    .description('connect standard input and output to an upstream, or to all of them, as an MCP client starts it')
    .argument('[upstream]', 'name of the upstream; all of them without it')
    .option('--client <name>', 'name under which budgets count this client', 'default')
    .action(async (upstream: string | undefined, { client }: { client: string }) => {
      const { folder, environment } = locate(globals());
      const launch = { command: files.node, args: [files.cli, 'serve', '--home', folder, '--network', environment] };
      exitCode = await runShim({ home: folder, upstream: upstream ?? '', client, token: process.env['BURSAR_CLIENT_TOKEN'], launch });
      process.stdin.destroy();
    });

  const upstream = program.command('upstream').description('servers behind the bridge');
  upstream
    .command('add')
    .description('add a server: by address, or by the command that starts it after --')
    .argument('<name>')
    .argument('[command...]', 'command and arguments of a stdio server')
    .option('--url <url>', 'address of a Streamable HTTP server')
    .option('--header <name=value>', 'header for each request (repeatable)', pair, {})
    .option('--env <name=value>', 'variable for the command (repeatable)', pair, {})
    .option('--json', 'print one JSON object')
    .action(async (name: string, words: string[], options: { url?: string; header: Record<string, string>; env: Record<string, string>; json?: boolean }) => {
      const [executable, ...args] = words;
      checkUpstream(options, executable);
      await withConnection(async ({ request }) => {
        const transport = options.url === undefined ? { kind: 'stdio' as const, command: executable!, args, env: options.env } : { kind: 'http' as const, url: options.url, headers: options.header };
        const added = await request('upstreams.add', { name, transport });
        print(options.json, added, () => [`Added ${added.name}: ${added.address}`]);
      });
    });
  upstream
    .command('list')
    .description('list the servers')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('upstreams.list', {});
        print(json, listed, () => upstreamLines(listed.upstreams, command));
      }),
    );
  upstream
    .command('remove')
    .description('remove a server')
    .argument('<name>')
    .action((name: string) =>
      withConnection(async ({ request }) => {
        await request('upstreams.remove', { name });
        process.stdout.write(`Removed ${name}.\n`);
      }),
    );

  program
    .command('network')
    .description('networks and how they are reached')
    .command('set')
    .description('enable a network, or set its RPC addresses')
    .argument('<caip2>', 'for example eip155:84532')
    .requiredOption('--rpc <url...>', 'RPC address (repeatable; the first that answers is used)')
    .action((network: string, { rpc }: { rpc: string[] }) =>
      withConnection(async ({ request }) => {
        await request('networks.set', { network, rpcUrls: rpc });
        process.stdout.write(`Set ${network}: ${rpc.join(', ')}\n`);
      }, { mayMakeFolder: true }),
    );

  addAccountCommands(program, { withConnection, print, command, environment: () => locate(globals()).environment });

  addOwnerCommands(program, { withConnection, print });
  addPolicyCommands(program, { withConnection, print });

  program
    .command('history')
    .description('payments, newest first')
    .option('--limit <number>', 'how many', count, 50)
    .option('--json', 'print one JSON object')
    .action(({ json, limit }: { json?: boolean; limit: number }) =>
      withConnection(async ({ request }) => {
        const listed = await request('payments.list', { limit });
        print(json, listed, () => historyLines(listed.payments));
      }),
    );

  const ledger = program.command('ledger').description('whether ledger and policy are as Bursar wrote them');
  ledger
    .command('verify')
    .description('read the whole ledger; exit code 1 if something was changed from outside')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const verified = await request('ledger.verify', {});
        print(json, verified, () => ledgerLines(verified));
        if (verified.findings.length > 0) exitCode = 1;
      }),
    );
  ledger
    .command('accept')
    .description('take a ledger that was changed from outside as it stands; the policy begins anew and asks for everything')
    .option('--new', 'begin an empty ledger where bursar.db is lost: budgets count from nothing')
    .option('--json', 'print one JSON object')
    .action(({ json, new: newLedger = false }: { json?: boolean; new?: boolean }) =>
      withConnection(
        async ({ request }) => {
          const accepted = await request('ledger.accept', {});
          print(json, accepted, () => ['Accepted. Payments go on; the policy asks for everything until you change it.']);
        },
        { newLedger },
      ),
    );
  addPaymentCommands(program, { withConnection, print });

  program
    .command('dashboard')
    .description('print an address that opens the dashboard once')
    .action(() =>
      withConnection(async ({ running, request }) => {
        if (!running) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running here.', { hint: 'Start it with: npm start.' });
        const { url } = await request('app.dashboard', {});
        if (url === '') throw new BursarError('NOT_FOUND', 'Bursar runs in Electron and has no address for a browser.', { hint: 'Its window is open, or opens from the tray.' });
        process.stdout.write(`${url}\n`);
      }),
    );

  return {
    async run(args) {
      try {
        await program.parseAsync(args, { from: 'user' });
        return exitCode;
      } catch (error) {
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
        const { code, message, hint } = toErrorInfo(error);
        process.stderr.write(`bursar: ${message} ${hint} (${code})\n`);
        return code === 'INPUT_INVALID' ? 2 : code === 'HOME_IN_USE' ? HOME_IN_USE_EXIT : 1;
      }
    },
  };
}

/** Refuses what would be added otherwise than it was meant. */
function checkUpstream({ url, header, env }: { url?: string; header: Record<string, string>; env: Record<string, string> }, command: string | undefined): void {
  const refuse = (message: string) => {
    throw new BursarError('INPUT_INVALID', message, { hint: 'See: upstream add --help' });
  };
  if ((url === undefined) === (command === undefined)) refuse('Give either --url or a command after --.');
  if (command?.startsWith('-')) refuse(`The command "${command}" begins with -, as an option does.`);
  if (url !== undefined && Object.keys(env).length > 0) refuse('--env is for a command and not for --url.');
  if (command !== undefined && Object.keys(header).length > 0) refuse('--header is for --url and not for a command.');
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 65_535) throw new InvalidArgumentError('It has to be a number from 0 to 65535.');
  return number;
}

function count(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 500) throw new InvalidArgumentError('It has to be a number from 1 to 500.');
  return number;
}
