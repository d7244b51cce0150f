import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Environment } from '../../shared/contract/app.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { openBackupFile } from '../adapters/backup/backup-file.ts';
import { requireEmpty, restoreBackup, verifyBackup, type VerifiedBackup } from '../adapters/backup/restore-backup.ts';
import { locateHome } from '../adapters/home/home.ts';
import { createAttempts } from '../adapters/keys/passphrase.ts';
import { bursarCommand } from '../bursar-command.ts';
import type { GlobalOptions } from '../locate.ts';
import { askUnseen, passphraseFromFile } from './passphrase.ts';
import { ownersPassphrase } from './secret-commands.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** How often a passphrase may be typed in one go; each try waits longer. */
const MOST_TRIES = 5;

/** `bursar backup FILE` and `bursar restore FILE`. */
export function addBackupCommands(program: Command, tools: CommandTools & { readonly globals: () => GlobalOptions }): void {
  const { withConnection, print, globals } = tools;
  program
    .command('backup')
    .description('put everything into one encrypted file: keys, policy, ledger, servers, clients, settings')
    .argument('<file>', 'a file that is not there yet')
    .option(...JSON_OPTION)
    .action((file: string, { json }: { json?: boolean }) =>
      withConnection(async (connection) => {
        const passphrase = await ownersPassphrase(connection, tools);
        const made = await connection.request('backup.create', { path: resolve(file), passphrase });
        print(json, made, () => [`Wrote ${made.path}, ${Math.ceil(made.bytes / 1024)} KiB. It opens with your passphrase.`, `Look whether it can be read: bursar restore ${file} --check`]);
      }),
    );
  program
    .command('restore')
    .description('make a data folder out of a backup; the folder has to be empty')
    .argument('<file>')
    .option('--check', 'only read all of it and say whether it is whole')
    .option('--vault', 'keep the keys in a vault file although a keychain may be there')
    .option(...JSON_OPTION)
    .action(async (file: string, { check = false, vault = false, json }: { check?: boolean; vault?: boolean; json?: boolean }) => {
      const path = resolve(file);
      const { header } = await openBackupFile(path);
      const { home, network } = globals();
      const environment = header.environment;
      if (network !== undefined && network !== environment) throw new BursarError('HOME_NETWORK_MISMATCH', `The backup ${path} is of ${environment}, not of ${network}.`);
      const given = home ?? process.env['BURSAR_HOME'];
      const folder = locateHome({ environment, ...(given !== undefined && { home: given }) });
      if (!check) requireEmpty(folder);
      const { backup, passphrase } = await openTyped(path, environment);
      try {
        const made = { environment, createdAt: backup.createdAt, version: backup.version };
        const when = new Date(backup.createdAt).toISOString();
        if (check) return print(json, made, () => [`The backup is whole. It was made on ${when} by Bursar ${backup.version} and holds ${environment}.`]);
        const { backend } = await restoreBackup({ backup, path, folder, passphrase, preferVault: vault });
        print(json, { ...made, home: folder, backend }, () => [
          `Restored ${folder} as of ${when}; the keys lie in ${backend === 'keychain' ? 'the OS keychain' : 'a vault file'}, under the passphrase that you typed.`,
          'What was paid after that is not in it. Stop the Bursar that the backup is of, if it still runs: two of them do not know what the other one pays.',
          `Nothing is paid before you accept that: ${bursarCommand('ledger accept', { folder, environment })}`,
        ]);
      } finally {
        backup.key.fill(0);
      }
    });
}

/** Asks until the backup opens. */
async function openTyped(path: string, environment: Environment): Promise<{ readonly backup: VerifiedBackup; readonly passphrase: string }> {
  const attempts = createAttempts();
  const fromFile = passphraseFromFile(environment);
  for (let tries = 1; ; tries += 1) {
    const passphrase = fromFile ?? (await askUnseen('Passphrase of the backup: '));
    try {
      return { backup: await verifyBackup(path, passphrase, attempts), passphrase };
    } catch (error) {
      if (!isBursarError(error, 'PASSPHRASE_WRONG') || fromFile !== undefined || tries === MOST_TRIES) throw error;
      process.stderr.write(`${error.message} ${error.hint}\n`);
    }
  }
}
