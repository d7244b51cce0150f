import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import type { Environment } from '../../shared/contract/app.ts';
import { StripeSecret } from '../../shared/contract/accounts.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { firstIssue, issueWords } from '../../shared/errors/issue-words.ts';
import { addAccountChangeCommands } from './account-change-commands.ts';
import { addSecretCommands } from './secret-commands.ts';
import { askUnseen } from './passphrase.ts';
import { accountLines } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface AddOptions {
  readonly devSecret?: boolean;
  readonly stripe?: boolean;
  readonly label: string;
  readonly json?: boolean;
}

/** `bursar account …`. */
export function addAccountCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print, command, environment } = tools;
  const account = program.command('account').description('accounts that pay');
  addMoneyCommands(account, tools);
  account
    .command('list')
    .description('list accounts and balances')
    .option('--all', 'also those that are hidden')
    .option(...JSON_OPTION)
    .action(({ all = false, json }: { all?: boolean; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('accounts.list', { all });
        print(json, listed, () => accountLines(listed, command));
      }),
    );
  account
    .command('import')
    .description('import a private key, from the terminal or standard input and never from the command line')
    .addOption(new Option('--namespace <namespace>', 'kind of chain').choices(['eip155', 'solana']).makeOptionMandatory())
    .requiredOption('--label <label>', 'your name for the account')
    .option('--file <path>', 'read it from a file: a Solana keypair, also one encrypted by @ozskr/agent-wallet-sdk')
    .option(...JSON_OPTION)
    .action(async ({ namespace, label, file, json }: { namespace: 'eip155' | 'solana'; label: string; file?: string; json?: boolean }) => {
      const secret = (file !== undefined ? readKeyFile(file) : process.stdin.isTTY ? await askUnseen('Private key: ') : await text(process.stdin)).trim();
      const filePassphrase = secret.startsWith('{') ? await askUnseen('Passphrase of the key file: ') : undefined;
      await withConnection(async ({ request }) => {
        const imported = await request('accounts.import', { namespace, label, secret, ...(filePassphrase !== undefined && { filePassphrase }) });
        print(json, imported, () => [`Imported ${imported.address}`]);
      });
    });
  account
    .command('add')
    .description('add what pays without a chain; its secret is typed on the terminal (play money: also from standard input)')
    .addOption(new Option('--dev-secret', 'a secret that a server shares, for play money').conflicts('stripe'))
    .option('--stripe', 'a card: the publishable key of Stripe and a payment method (standard input: as JSON)')
    .requiredOption('--label <label>', 'your name for the account')
    .option(...JSON_OPTION)
    .action(async (options: AddOptions) => {
      const { devSecret = false, stripe = false, label, json } = options;
      if (devSecret === stripe) throw new BursarError('INPUT_INVALID', 'Give either --dev-secret or --stripe.');
      const piped = process.stdin.isTTY ? undefined : await pipedSecret(environment());
      const secret = devSecret ? (piped ?? (await askUnseen('Shared secret: '))).trim() : readStripe(piped ?? (await askStripe()));
      await withConnection(async ({ request }) => {
        const added = typeof secret === 'string' ? await request('accounts.addDev', { label, secret }) : await request('accounts.addStripe', { label, stripe: secret });
        print(json, added, () => [`Added ${added.label}: ${added.address}`]);
      });
    });
  account
    .command('pay-from')
    .description('let a Solana account pay from the token accounts of another wallet, which have to approve it as delegate')
    .argument('<address>', 'the account that pays')
    .option('--owner <wallet>', 'the wallet that owns the token accounts; without it, the account pays from its own again')
    .option(...JSON_OPTION)
    .action((address: string, { owner, json }: { owner?: string; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const found = (await request('accounts.list', {})).accounts.find((candidate) => candidate.namespace === 'solana' && candidate.address === address);
        if (!found) throw new BursarError('ACCOUNT_MISSING', `There is no Solana account ${address}.`);
        const changed = await request('accounts.payFrom', { accountId: found.id, ...(owner !== undefined && { owner }) });
        print(json, changed, () => [owner === undefined ? `${address} pays from its own token accounts.` : `${address} pays from the token accounts of ${owner}, as far as they approve it.`]);
      }),
    );
  addAccountChangeCommands(account, tools);
  addSecretCommands(account, tools);
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BursarError('INPUT_INVALID', `The file ${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unreadable'}).`, { hint: 'Correct --file.', cause });
  }
}

/** `bursar account receive` and `bursar account alert`. */
function addMoneyCommands(account: Command, { withConnection, print }: CommandTools): void {
  account
    .command('receive')
    .description('show where money is received, with the exact networks')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const received = await request('accounts.receive', {});
        print(json, received, () =>
          received.accounts.length === 0
            ? ['No account yet.']
            : received.accounts.flatMap(({ label, address, networks, warning }) => [`${label}: ${address}`, ...networks.map(({ name, tokens }) => `   ${name}: ${tokens.join(', ')}`), `   ${warning}`]),
        );
      }),
    );
  account
    .command('alert')
    .description('warn when all accounts together hold less than so many whole tokens; without a token, list what is set')
    .argument('[asset]', 'CAIP-19 id of the token, or of a network\'s coin')
    .argument('[amount]', 'whole tokens; without it, the alert ends')
    .option(...JSON_OPTION)
    .action((asset: string | undefined, amount: string | undefined, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const set = asset === undefined ? await request('accounts.alerts', {}) : await request('accounts.setAlert', { asset, ...(amount !== undefined && { amount }) });
        print(json, set, () => (set.alerts.length === 0 ? ['No alert is set.'] : set.alerts.map((alert) => `Below ${alert.amount} ${alert.asset.symbol} on ${alert.asset.networkName}`)));
      }),
    );
}

/** With real money an agent with a shell could pipe as well as its owner. Throws `OWNER_REQUIRED`. */
async function pipedSecret(environment: Environment): Promise<string> {
  if (environment === 'mainnet') throw new BursarError('OWNER_REQUIRED', 'With real money the secret has to be typed on a terminal.', { hint: 'Run this command in a terminal.' });
  return text(process.stdin);
}

async function askStripe(): Promise<string> {
  const publishableKey = (await askUnseen('Publishable key (pk_…): ')).trim();
  const paymentMethod = (await askUnseen('Payment method (pm_…): ')).trim();
  return JSON.stringify({ publishableKey, paymentMethod });
}

/** No message repeats what was given. */
function readStripe(json: string): StripeSecret {
  let plain: unknown;
  try {
    plain = JSON.parse(json);
  } catch {
    throw new BursarError('INPUT_INVALID', 'What stands on standard input is not JSON.', { hint: 'It has to be {"publishableKey":"pk_…","paymentMethod":"pm_…"}.' });
  }
  const read = StripeSecret.safeParse(plain, { error: issueWords });
  if (read.success) return read.data;
  const { field, words } = firstIssue(read.error);
  throw new BursarError('INPUT_INVALID', `The card is not valid${field && ` at ${field}`}: ${words}.`, { hint: 'Nothing was added.' });
}
