import { Command, CommanderError, Option } from 'commander';
import { Environment } from '../../shared/contract/app.ts';
import { toErrorInfo, type ErrorInfo } from '../../shared/errors/errors.ts';
import { HOME_IN_USE_EXIT } from '../bridge/endpoint.ts';
import { runShim } from '../bridge/shim-run.ts';
import { bursarCommand } from '../bursar-command.ts';
import type { ProgramFiles } from '../program-files.ts';
import { VERSION } from '../version.ts';
import { locate, type GlobalOptions } from '../locate.ts';
import { addAccountCommands } from './account-commands.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addApprovalCommands } from './approval-commands.ts';
import { addClientCommands } from './client-commands.ts';
import { addConnectCommand } from './connect-command.ts';
import { connect, requireSameMoney, type Connection, type ConnectOptions } from './connection.ts';
import { addContactCommands } from './contact-commands.ts';
import { addDashboardCommand } from './dashboard-command.ts';
import { addDelegationCommands } from './delegation-commands.ts';
import { addDesktopCommand } from './desktop-command.ts';
import { addDiscoverCommands } from './discover-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addClaimSettingCommands, addEscrowCommands } from './escrow-commands.ts';
import { addActivityCommand } from './activity-command.ts';
import { addHistoryCommand } from './history-command.ts';
import { addNetworkCommands } from './network-commands.ts';
import { addOwnerCommands } from './owner-commands.ts';
import { addPaymentCommands } from './payment-commands.ts';
import { addPolicyCommands } from './policy-commands.ts';
import { addPresenceCommands } from './presence-commands.ts';
import { addLedgerCommands } from './ledger-commands.ts';
import { endQuietlyWithoutReader, isReaderGone } from './reader.ts';
import { addRequestCommands } from './request-commands.ts';
import { addSendCommand } from './send-command.ts';
import { addServeCommands } from './serve-commands.ts';
import { addSettingsCommands } from './settings-commands.ts';
import type { CommandTools } from './tools.ts';
import { addUpstreamCommands } from './upstream-commands.ts';

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
    // Written below, in the form of every other error.
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', HELP_AFTER)
    .exitOverride();
  let exitCode = 0;
  let ran = '';
  program.hook('preSubcommand', (_program, chosen) => void (ran = chosen.name()));

  const globals = (): GlobalOptions => program.opts();
  const command = (words: string) => bursarCommand(words, locate(globals(), files));
  const withConnection = async (work: (connection: Connection) => Promise<void>, options: ConnectOptions = {}) => {
    const connection = await connect(globals(), files, VERSION, options);
    try {
      await work(connection);
    } finally {
      await connection.close();
    }
  };
  const print: CommandTools['print'] = (json, value, lines) =>
    void process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines().map((line) => `${line}\n`).join(''));
  const tools: CommandTools = { withConnection, print, command, environment: () => locate(globals(), files).environment, foundWrong: () => void (exitCode = 1) };

  program.commandsGroup('Run:');
  addServeCommands(program, { files, globals });

  program
    .command('mcp')
    .description('connect standard input and output to an upstream, or to all of them, as an MCP client starts it')
    .argument('[upstream]', 'name of the upstream; all of them without it')
    .option('--client <name>', 'name under which budgets count this client', 'default')
    .action(async (upstream: string | undefined, { client }: { client: string }) => {
      const location = locate(globals(), files);
      const { folder, environment } = location;
      requireSameMoney(location);
      const launch = { command: files.node, args: [files.cli, 'serve', '--home', folder, '--network', environment] };
      exitCode = await runShim({ home: folder, upstream: upstream ?? '', client, token: process.env['BURSAR_CLIENT_TOKEN'], launch });
      process.stdin.destroy();
    });

  addDashboardCommand(program, tools);
  addDoctorCommand(program, { ...tools, folder: () => locate(globals(), files).folder });

  program.commandsGroup('Payments:');
  addApprovalCommands(program, tools);
  addHistoryCommand(program, tools);
  addActivityCommand(program, tools);
  addPaymentCommands(program, tools);
  addSendCommand(program, tools);
  addRequestCommands(program, tools);
  addEscrowCommands(program, tools);

  program.commandsGroup('Settings:');
  addConnectCommand(program, tools);
  addUpstreamCommands(program, tools);
  addDiscoverCommands(program, tools);
  addPolicyCommands(program, tools);
  addAccountCommands(program, tools);
  addContactCommands(program, tools);
  addDelegationCommands(program, tools);
  addClaimSettingCommands(program, { ...tools, pages: files.pages });
  addNetworkCommands(program, tools);
  addOwnerCommands(program, tools);
  addPresenceCommands(program, tools);
  addSettingsCommands(program, tools);
  addDesktopCommand(program, tools);
  addClientCommands(program, tools);

  addLedgerCommands(program, tools);
  addBackupCommands(program, { ...tools, globals });

  return {
    async run(args) {
      endQuietlyWithoutReader();
      try {
        await program.parseAsync(args, { from: 'user' });
        return exitCode;
      } catch (error) {
        if (isReaderGone(error)) return exitCode;
        const wantsJson = (args.includes('--') ? args.slice(0, args.indexOf('--')) : args).includes('--json') && !OWN_OUTPUT.has(ran);
        const printError = (info: ErrorInfo) => wantsJson && process.stdout.write(`${JSON.stringify({ error: info })}\n`);
        if (error instanceof CommanderError && error.exitCode === 0) return 0;
        const info = error instanceof CommanderError ? usageError(error) : toErrorInfo(error);
        // The help that stands there instead says which commands there are.
        if (!isHelp(error)) process.stderr.write(`bursar: ${info.message} ${info.hint} (${info.code})\n`);
        printError(info);
        return info.code === 'INPUT_INVALID' ? 2 : info.code === 'HOME_IN_USE' ? HOME_IN_USE_EXIT : 1;
      }
    },
  };
}

/** Whose standard output has a reader who wants nothing else there. */
const OWN_OUTPUT: ReadonlySet<string> = new Set(['mcp']);

const isHelp = (error: unknown): boolean => error instanceof CommanderError && error.code === 'commander.help';

/** What is wrong with the command line, as a sentence. */
function usageError(error: CommanderError): ErrorInfo {
  const misplaced = error.code === 'commander.unknownOption' && /'--(home|network)\b/.test(error.message);
  const words = isHelp(error) ? 'a command is missing.' : error.message.replace(/^error: /, '').replaceAll(/\s+/g, ' ').trim();
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!)]$/.test(words) ? '' : '.'}`;
  return { code: 'INPUT_INVALID', message: sentence, hint: misplaced ? BEFORE : 'For what can be said here, add --help.', context: {} };
}

const BEFORE = '--home and --network stand before the command: bursar --home DIR history.';

const HELP_AFTER = `
--json prints one object, also for an error: {"error":{"code","message","hint","context"}}.
What moves a limit, a server, a key or money asks for your passphrase where real money is at stake, on a terminal.
BURSAR_PASSPHRASE_FILE names a file with it, for play money and test networks alone.

Exit codes: 0 done, 1 failed or found something wrong, 2 wrong usage, 3 another Bursar has the data folder.`;
