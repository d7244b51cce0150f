import type { Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { askUnseen, readFirstPassphrase } from './passphrase.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar passphrase set` and `bursar client add`. */
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

  program
    .command('client')
    .description('MCP clients and the tokens that prove their names')
    .command('add')
    .description('make a token for a client, which rules and limits can then name; one that it had ends')
    .argument('<name>')
    .option(...JSON_OPTION)
    .action((name: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const added = await request('clients.add', { name });
        print(json, added, () => [added.token, '', 'Shown this once. Over HTTP it is the bearer token; for a client that starts a command, set it as BURSAR_CLIENT_TOKEN.']);
      }),
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
