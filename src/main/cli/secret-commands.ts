import { Option, type Command } from 'commander';
import type { AccountView } from '../../shared/contract/accounts.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { accountAt } from './account-change-commands.ts';
import { readPassphrase } from './passphrase.ts';
import { oneLine, table } from './print.ts';
import { requireScreen, showSecret } from './show-secret.ts';
import { askLine, isAtTerminal } from './terminal.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** What shows secrets or forgets them: `bursar account seeds | reveal | export | remove | remove-seed`. */
export function addSecretCommands(account: Command, tools: CommandTools): void {
  const { withConnection, print } = tools;
  account
    .command('seeds')
    .description('list the seeds: the wallet’s own, and those that were restored')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('seeds.list', {});
        print(json, listed, () => table(listed.seeds.map(({ id, label, words, revealedAt }) => [id, label, `${words} words`, revealedAt === undefined ? 'never shown' : `shown ${new Date(revealedAt).toISOString()}`])));
      }),
    );
  account
    .command('reveal')
    .description('show the words of a seed, on the terminal alone, after your passphrase')
    .option('--seed <id>', "the seed; the wallet's own without it", 'main')
    .action(async ({ seed }: { seed: string }) => {
      requireScreen();
      await withConnection(async (connection) => {
        const passphrase = await ownersPassphrase(connection, tools);
        const { words } = await connection.request('seeds.reveal', { seed, passphrase });
        await showSecret(['Whoever has these words has the money of all accounts of this seed. Write them down on paper.', '', ...numbered(words)]);
      });
    });
  account
    .command('export')
    .description('show the private key of an account, on the terminal alone, after your passphrase')
    .argument('<address>')
    .addOption(new Option('--form <form>', 'hex for EVM; for Solana base58, or keypair as a JSON array').choices(['hex', 'base58', 'keypair']))
    .action(async (address: string, { form }: { form?: 'hex' | 'base58' | 'keypair' }) => {
      requireScreen();
      await withConnection(async (connection) => {
        const { id, label, namespace } = await accountAt(connection, address);
        const passphrase = await ownersPassphrase(connection, tools);
        const { secret } = await connection.request('accounts.export', { accountId: id, form: form ?? (namespace === 'solana' ? 'base58' : 'hex'), passphrase });
        await showSecret([`Whoever has this key has the money of "${oneLine(label)}".`, '', secret]);
      });
    });
  account
    .command('remove')
    .description('forget an account and its key for good; one of a seed can only be hidden')
    .argument('<address>')
    .option('--yes', 'do not ask; a key still needs your passphrase')
    .option(...JSON_OPTION)
    .action((address: string, { yes = false, json }: { yes?: boolean; json?: boolean }) =>
      withConnection(async (connection) => {
        const found = await accountAt(connection, address);
        const isKey = found.source === 'imported' && (found.namespace === 'eip155' || found.namespace === 'solana');
        if (!yes) await agree(whatIsLost(found));
        const passphrase = isKey ? await ownersPassphrase(connection, tools) : undefined;
        await connection.request('accounts.remove', { accountId: found.id, confirm: found.address, ...(passphrase !== undefined && { passphrase }) });
        print(json, { removed: found.address }, () => [`${found.address} is removed.`]);
      }),
    );
  account
    .command('remove-seed')
    .description('forget a restored seed with all of its accounts for good')
    .argument('<id>')
    .option('--yes', 'do not ask; your passphrase is still needed')
    .option(...JSON_OPTION)
    .action((id: string, { yes = false, json }: { yes?: boolean; json?: boolean }) =>
      withConnection(async (connection) => {
        const seed = (await connection.request('seeds.list', {})).seeds.find((each) => each.id === id);
        if (!yes) await agree(`The words of "${seed?.label ?? id}" and all of its accounts leave this wallet. Whoever has not written the words down loses what is on them.`);
        const passphrase = await ownersPassphrase(connection, tools);
        await connection.request('seeds.remove', { seed: id, confirm: seed?.label ?? id, passphrase });
        print(json, { removed: id }, () => ['The seed is removed.']);
      }),
    );
}

/** Typed once, and used twice: it unlocks what is locked, and goes with the request that needs it anew. */
export async function ownersPassphrase({ request }: Connection, { environment }: Pick<CommandTools, 'environment'>): Promise<string> {
  const { passphraseSet, locked, sessionNeeded, sessionUntil } = await request('owner.status', {});
  // Main refuses, and says what to do.
  if (!passphraseSet) return ' ';
  const passphrase = await readPassphrase(environment());
  if (locked || (sessionNeeded && sessionUntil === undefined)) await request('owner.unlock', { passphrase });
  return passphrase;
}

const whatIsLost = ({ source, namespace, label, address }: AccountView): string => {
  if (source === 'watch') return `"${label}" (${address}) is only watched: nothing is lost.`;
  if (namespace === 'dev' || namespace === 'stripe') return `The secret of "${label}" leaves this wallet. It can be added again.`;
  return `The key of "${label}" (${address}) leaves this wallet. If you have no other copy, what is on the account is lost for good. "bursar account export" shows the key.`;
};

async function agree(what: string): Promise<void> {
  process.stderr.write(`${oneLine(what)}\n`);
  const kept = () => new BursarError('APPROVAL_CANCELLED', 'Nothing was removed.', { hint: 'Everything is as it was.' });
  if (!isAtTerminal()) throw new BursarError('OWNER_REQUIRED', 'This is asked on a terminal.', { hint: 'Run this command in a terminal, or give --yes.' });
  if ((await askLine('Type "remove" to go on: ', kept)) !== 'remove') throw kept();
}

/** Three columns, read from top to bottom, as words are written down. */
function numbered(words: readonly string[]): readonly string[] {
  const cells = words.map((word, index) => `${String(index + 1).padStart(2)}. ${word}`.padEnd(16));
  const rows = Math.ceil(cells.length / 3);
  return Array.from({ length: rows }, (_, row) => [cells[row], cells[row + rows], cells[row + 2 * rows]].join('').trimEnd());
}
