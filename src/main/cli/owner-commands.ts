import { InvalidArgumentError, type Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { askUnseen, readFirstPassphrase } from './passphrase.ts';
import { ownersPassphrase } from './secret-commands.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar passphrase set | seal` and `bursar lock`. */
export function addOwnerCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print } = tools;
  const passphraseCommand = program.command('passphrase').description("the owner's passphrase");
  passphraseCommand
    .command('seal')
    .description('put the items of the keychain also under your passphrase: neither opens one alone, and Bursar starts locked')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async (connection) => {
        const passphrase = await ownersPassphrase(connection, tools);
        await connection.request('keys.seal', { passphrase });
        print(json, { sealed: true }, () => ['The keys in the keychain also lie under your passphrase now. Without it nobody opens them again: keep it, and a backup.']);
      }),
    );
  passphraseCommand
    .command('set')
    .description('set the first passphrase, typed on the terminal; a running Bursar wants the setup code that it printed at its start')
    .option('--restore', 'bring an earlier wallet back: its words are asked for too')
    .option(...JSON_OPTION)
    .action(({ restore = false, json }: { restore?: boolean; json?: boolean }) =>
      withConnection(
        async (connection) => {
          await setPassphrase(connection, restore);
          print(json, { passphraseSet: true }, () => ['The passphrase is set. It cannot be recovered: keep it where you will find it again.']);
        },
        { mayMakeFolder: true },
      ),
    );

  program
    .command('lock')
    .description('lock the keys now, or set after how many minutes without you they are locked')
    .option('--after <minutes>', 'lock after so many minutes without an act of yours; 0: never', minutes)
    .option(...JSON_OPTION)
    .action(({ after, json }: { after?: number; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const status = after === undefined ? await request('owner.lock', {}) : await request('owner.setLockAfter', { minutes: after });
        print(json, status, () => [after === undefined ? 'Locked.' : after === 0 ? 'The keys are not locked by themselves.' : `The keys are locked after ${after} minutes without you.`]);
      }),
    );
}

function minutes(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 10_080) throw new InvalidArgumentError('It has to be a whole number of minutes, at most 10080 (a week).');
  return Number(text);
}

async function setPassphrase({ request, setupCode }: Connection, restore: boolean): Promise<void> {
  if ((await request('owner.status', {})).passphraseSet) throw new BursarError('FORBIDDEN', 'A passphrase is set already.', { hint: 'It stays as it is.' });
  if (setupCode === undefined && (await request('app.status', {})).host === 'electron') {
    throw new BursarError('FORBIDDEN', 'Bursar runs with a window of its own.', { hint: 'Set the passphrase there: the dashboard asks for it.' });
  }
  const code = setupCode ?? (await askUnseen('Setup code, as Bursar printed it at its start: '));
  const words = restore ? await askUnseen('The words of the earlier wallet, with spaces between them: ') : undefined;
  await request('owner.setPassphrase', { passphrase: await readFirstPassphrase(), code, ...(words !== undefined && { words }) });
}
