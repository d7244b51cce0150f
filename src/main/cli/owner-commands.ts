import type { Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { askUnseen, readFirstPassphrase } from './passphrase.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar passphrase set`. */
export function addOwnerCommands(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('passphrase')
    .description("the owner's passphrase")
    .command('set')
    .description('set the first passphrase, typed on the terminal; a running Bursar wants the setup code that it printed at its start')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(
        async (connection) => {
          await setPassphrase(connection);
          print(json, { passphraseSet: true }, () => ['The passphrase is set. It cannot be recovered: keep it where you will find it again.']);
        },
        { mayMakeFolder: true },
      ),
    );
}

async function setPassphrase({ request, setupCode }: Connection): Promise<void> {
  if ((await request('owner.status', {})).passphraseSet) throw new BursarError('FORBIDDEN', 'A passphrase is set already.', { hint: 'It stays as it is.' });
  if (setupCode === undefined && (await request('app.status', {})).host === 'electron') {
    throw new BursarError('FORBIDDEN', 'Bursar runs with a window of its own.', { hint: 'Set the passphrase there: the dashboard asks for it.' });
  }
  const code = setupCode ?? (await askUnseen('Setup code, as Bursar printed it at its start: '));
  await request('owner.setPassphrase', { passphrase: await readFirstPassphrase(), code });
}
