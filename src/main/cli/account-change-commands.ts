import { text } from 'node:stream/consumers';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { AccountView } from '../../shared/contract/accounts.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import type { Connection } from './connection.ts';
import { askUnseen } from './passphrase.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface NewOptions {
  readonly namespace: 'eip155' | 'solana';
  readonly label: string;
  readonly seed?: string;
  readonly index?: number;
  readonly json?: boolean;
}

const namespaceOption = () => new Option('--namespace <namespace>', 'kind of chain').choices(['eip155', 'solana']).makeOptionMandatory();

/** What changes accounts and shows no secret: `bursar account new | restore | watch | rename | hide | show | limit | order`. */
export function addAccountChangeCommands(account: Command, { withConnection, print }: CommandTools): void {
  account
    .command('new')
    .description('add another account of a seed: the next one, or that of a number')
    .addOption(namespaceOption())
    .requiredOption('--label <label>', 'your name for the account')
    .option('--seed <id>', "the seed; the wallet's own without it")
    .option('--index <number>', 'its number, from 0', wholeNumber)
    .option(...JSON_OPTION)
    .action(({ json, ...request }: NewOptions) =>
      withConnection(async ({ request: send }) => {
        const added = await send('accounts.derive', request);
        print(json, added, () => [`Added ${added.label}: ${added.address} (${added.path ?? ''})`]);
      }),
    );
  account
    .command('restore')
    .description("add another wallet's words beside what is here, from the terminal or standard input and never from the command line")
    .requiredOption('--label <label>', 'your name for that wallet')
    .option(...JSON_OPTION)
    .action(async ({ label, json }: { label: string; json?: boolean }) => {
      const words = process.stdin.isTTY ? await askUnseen('Its words, with spaces between them: ') : await text(process.stdin);
      await withConnection(async ({ request }) => {
        const added = await request('accounts.importMnemonic', { label, words });
        print(json, added, () => added.accounts.map((each) => `Added ${each.label}: ${each.address}`));
      });
    });
  account
    .command('watch')
    .description('add an address whose key lies elsewhere: its balances show, and it never pays')
    .argument('<address>')
    .addOption(namespaceOption())
    .requiredOption('--label <label>', 'your name for the account')
    .option(...JSON_OPTION)
    .action((address: string, { namespace, label, json }: NewOptions) =>
      withConnection(async ({ request }) => {
        const added = await request('accounts.watch', { namespace, label, address });
        print(json, added, () => [`Watching ${added.address}`]);
      }),
    );
  account
    .command('rename')
    .description('give an account another name')
    .argument('<address>')
    .argument('<label>')
    .option(...JSON_OPTION)
    .action((address: string, label: string, { json }: { json?: boolean }) =>
      withConnection(async (connection) => {
        const { id } = await accountAt(connection, address);
        const renamed = await connection.request('accounts.rename', { accountId: id, label });
        print(json, renamed, () => [`${renamed.address} is now "${renamed.label}".`]);
      }),
    );
  for (const [name, hidden, description] of [
    ['hide', true, 'put an account out of sight, where it does not pay; its key stays'],
    ['show', false, 'bring a hidden account back'],
  ] as const) {
    account
      .command(name)
      .description(description)
      .argument('<address>')
      .option(...JSON_OPTION)
      .action((address: string, { json }: { json?: boolean }) =>
        withConnection(async (connection) => {
          const { id } = await accountAt(connection, address);
          const changed = await connection.request('accounts.hide', { accountId: id, hidden });
          print(json, changed, () => [hidden ? `${changed.label} is hidden and does not pay. Show it again with: bursar account show ${changed.address}` : `${changed.label} shows and pays again.`]);
        }),
      );
  }
  account
    .command('limit')
    .description('set the most that one payment may take from an account (a new version of the policy)')
    .argument('<address>')
    .option('--max <amount>', 'for example 5.00; without it the account has no maximum of its own')
    .option('--unit <unit>', 'USD, or a token as CAIP-19: the account then pays in no other', 'USD')
    .option(...JSON_OPTION)
    .action((address: string, { max, unit, json }: { max?: string; unit: string; json?: boolean }) =>
      withConnection(async (connection) => {
        const target = await accountAt(connection, address);
        const saved = await savePaying(connection, (accounts) =>
          accounts.map((entry) => (entry.account === target.address ? { account: entry.account, ...(max !== undefined && { max: { amount: max, unit } }) } : entry)),
        );
        print(json, saved, () => [max === undefined ? `${target.label} has no maximum of its own.` : `${target.label} pays at most ${max} ${unit} at once.`]);
      }),
    );
  account
    .command('order')
    .description('say which accounts pay first (a new version of the policy); those that are not named come after them, as they were')
    .argument('<address...>')
    .option(...JSON_OPTION)
    .action((addresses: readonly string[], { json }: { json?: boolean }) =>
      withConnection(async (connection) => {
        const first = await Promise.all(addresses.map(async (address) => (await accountAt(connection, address)).address));
        const saved = await savePaying(connection, (accounts) => {
          const named = first.map((address) => accounts.find((entry) => entry.account === address) ?? { account: address });
          return [...named, ...accounts.filter((entry) => !first.includes(entry.account))];
        });
        print(json, saved, () => (saved.policy.paying?.accounts ?? []).map((entry, index) => `${index + 1}. ${entry.account}`));
      }),
    );
}

type PayingAccounts = NonNullable<NonNullable<Policy['paying']>['accounts']>;

/** Changes the accounts of the policy. All are written out, so that naming one does not put it before others that were not named. */
async function savePaying({ request }: Connection, change: (accounts: PayingAccounts) => PayingAccounts) {
  const [{ number, policy }, { accounts }] = await Promise.all([request('policy.get', {}), request('accounts.list', {})]);
  const named = policy.paying?.accounts ?? [];
  const rest = accounts.filter(({ address, source }) => source !== 'watch' && !named.some((entry) => entry.account.toLowerCase() === address.toLowerCase()));
  const all = [...named.map((entry) => ({ ...entry, account: accounts.find(({ address }) => address.toLowerCase() === entry.account.toLowerCase())?.address ?? entry.account })), ...rest.map(({ address }) => ({ account: address }))];
  return request('policy.set', { basedOn: number, policy: { ...policy, paying: { ...policy.paying, accounts: change(all) } } });
}

/** The account of an address, or of its name where no other has it. Throws `ACCOUNT_MISSING`. */
export async function accountAt({ request }: Pick<Connection, 'request'>, named: string): Promise<AccountView> {
  const { accounts } = await request('accounts.list', { all: true });
  const found = accounts.filter(({ address, label }) => address.toLowerCase() === named.toLowerCase() || label === named);
  if (found.length === 1) return found[0]!;
  throw new BursarError('ACCOUNT_MISSING', found.length === 0 ? `There is no account ${named}.` : `${found.length} accounts are called ${named}.`, { hint: 'List them with: bursar account list --all' });
}

function wholeNumber(typed: string): number {
  if (!/^\d{1,10}$/.test(typed)) throw new InvalidArgumentError('It has to be a whole number.');
  return Number(typed);
}
