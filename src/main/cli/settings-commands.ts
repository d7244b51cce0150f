import { InvalidArgumentError, type Command } from 'commander';
import type { NotificationKind, SettingsView } from '../../shared/contract/settings.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { oneLine, table } from './print.ts';
import { ownersPassphrase } from './secret-commands.ts';
import { askLine, isAtTerminal } from './terminal.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar settings …` and `bursar reset`. */
export function addSettingsCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print } = tools;
  const settings = program.command('settings').description('autostart, notifications, and where the data folder is');
  settings
    .command('show')
    .description('print the settings')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const shown = await request('settings.get', {});
        print(json, shown, () => settingLines(shown));
      }),
    );
  settings
    .command('set')
    .description('change what is given')
    .option('--autostart <on|off>', 'start Bursar when you sign in to this machine', onOff)
    .option('--notify-approvals <on|off>', 'tell me of payments that wait', onOff)
    .option('--notify-warnings <on|off>', 'tell me of what needs my attention', onOff)
    .option(...JSON_OPTION)
    .action(({ autostart, notifyApprovals: approvals, notifyWarnings: warnings, json }: { autostart?: boolean; notifyApprovals?: boolean; notifyWarnings?: boolean; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const notifications: Partial<Record<NotificationKind, boolean>> = { ...(approvals !== undefined && { approvals }), ...(warnings !== undefined && { warnings }) };
        if (autostart === undefined && Object.keys(notifications).length === 0) throw new BursarError('INPUT_INVALID', 'Nothing to change was given.', { hint: 'For what can be said here, add --help.' });
        const changed = await request('settings.set', { ...(autostart !== undefined && { autostart }), ...(Object.keys(notifications).length > 0 && { notifications }) });
        print(json, changed, () => settingLines(changed));
      }),
    );

  program
    .command('reset')
    .description('end Bursar and empty its data folder: play money is deleted, any other folder is moved beside and kept')
    .option('--yes', 'do not ask; refused with real money')
    .option(...JSON_OPTION)
    .action(({ yes = false, json }: { yes?: boolean; json?: boolean }) =>
      withConnection(async (connection) => {
        const { folder, reset } = await connection.request('settings.get', {});
        const isReal = tools.environment() === 'mainnet';
        const word = yes && !isReal ? reset.word : await askForWord(reset, folder.path);
        const passphrase = reset.passphrase ? await ownersPassphrase(connection, tools) : undefined;
        const { keptIn } = await connection.request('settings.reset', { word, ...(passphrase !== undefined && { passphrase }) });
        print(json, { reset: true, keptIn }, () => [
          keptIn ? `Bursar ends and begins anew at its next start. Everything that was there is kept in ${keptIn}: move it back to have it again.` : 'Bursar ends and begins anew at its next start. Its play money is deleted.',
        ]);
      }),
    );
}

function onOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It has to be on or off.');
  return text === 'on';
}

const settingLines = ({ folder, autostart, notifications, networks }: SettingsView): readonly string[] =>
  table([
    ['Data folder', folder.path],
    ['Starts when you sign in', !autostart.supported ? 'not here' : autostart.on ? 'on' : 'off'],
    ['Tells of payments that wait', !notifications.supported ? 'not here' : notifications.on.approvals ? 'on' : 'off'],
    ['Tells of what needs attention', !notifications.supported ? 'not here' : notifications.on.warnings ? 'on' : 'off'],
    ['Networks', networks.filter(({ enabled }) => enabled).map(({ name }) => name).join(', ') || 'none'],
  ]);

async function askForWord({ word, keeps }: SettingsView['reset'], path: string): Promise<string> {
  if (!isAtTerminal()) throw new BursarError('OWNER_REQUIRED', 'This is asked on a terminal.', { hint: 'Run this command in a terminal.' });
  process.stderr.write(
    keeps
      ? `Bursar ends. Its folder ${oneLine(path)} with ledger, keys and settings is moved beside, under today's date, and nothing in it is deleted. Accounts, budgets and servers are not there at the next start. Payments that are not final are followed no more until you move the folder back.\n`
      : `Bursar ends. Everything in ${oneLine(path)} is deleted: accounts, history, servers and clients of play money.\n`,
  );
  const kept = () => new BursarError('APPROVAL_CANCELLED', 'Nothing was reset.', { hint: 'Everything is as it was.' });
  const typed = (await askLine(`Type "${word}" to go on: `, kept)).trim();
  if (typed !== word) throw kept();
  return typed;
}
