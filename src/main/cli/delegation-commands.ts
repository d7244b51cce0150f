import { Option, type Command } from 'commander';
import type { RouteInput } from '../../shared/contract/contract.ts';
import type { DelegationAct, DelegationQuote, DelegationView, ExternalDelegation } from '../../shared/contract/delegations.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { moneyText, oneLine, table } from './print.ts';
import { askLine, isAtTerminal } from './terminal.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

type Order = RouteInput<'delegations.quote'>;

interface PartyOptions {
  readonly owner?: string;
  readonly delegate?: string;
  readonly token?: string;
  readonly network?: string;
}

interface ActOptions extends PartyOptions {
  readonly add?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `bursar delegation …`. */
export function addDelegationCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print } = tools;
  const delegation = program.command('delegation').description('spending limits that Solana itself enforces: one account lets another one spend so much of its tokens');
  delegation
    .command('list')
    .description('what may be spent by whom, as the chain shows it, and what Bursar signed for it')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('delegations.list', {});
        print(json, listed, () => [
          ...(listed.delegations.length === 0 ? ['Nobody may spend from your token accounts but you.'] : listed.delegations.flatMap(delegationLines)),
          ...listed.unreachable.map((name) => `${name} did not answer.`),
        ]);
      }),
    );
  withParties(delegation.command('approve').description('let an account spend so much; a new approval replaces the one in force').argument('<amount>', 'whole tokens, all together: 25'))
    .option('--add', 'add the amount to what is left of the approval in force')
    .option('--yes', 'do not ask; without a terminal the terms are shown and nothing is signed')
    .option(...JSON_OPTION)
    .action((amount: string, { add = false, ...options }: ActOptions) => withConnection((connection) => carryOut(connection, { ...partiesOf(options), kind: add ? 'topUp' : 'approve', amount }, options, tools)));
  withParties(delegation.command('revoke').description('take an approval back'))
    .option('--yes', 'do not ask; without a terminal the terms are shown and nothing is signed')
    .option(...JSON_OPTION)
    .action((options: ActOptions) => withConnection((connection) => carryOut(connection, { ...partiesOf(options), kind: 'revoke' }, options, tools)));
  withParties(delegation.command('show-transaction').description('the transaction for an owner whose key lies elsewhere, to be signed there; without an amount, the one that takes an approval back').argument('[amount]', 'whole tokens, all together: 25'))
    .addOption(new Option('--add', 'add the amount to what is left of the approval in force'))
    .option(...JSON_OPTION)
    .action((amount: string | undefined, { add = false, json, ...options }: ActOptions) =>
      withConnection(async ({ request }) => {
        const kind = amount === undefined ? 'revoke' : add ? 'topUp' : 'approve';
        const shown = await request('delegations.external', { ...partiesOf(options), kind, ...(amount !== undefined && { amount }) });
        print(json, shown, () => externalLines(shown));
      }),
    );
}

const withParties = (command: Command): Command =>
  command
    .option('--owner <address>', 'whose token account it is; where only one can be meant, it may be left out')
    .option('--delegate <address>', 'who may spend from it; the same')
    .option('--token <token>', 'symbol or mint; USDC without it')
    .option('--network <network>', 'Solana network by its name or CAIP-2 id, where several are enabled');

const partiesOf = ({ owner, delegate, token, network }: PartyOptions): Omit<Order, 'kind' | 'amount'> => ({
  ...(owner !== undefined && { owner }),
  ...(delegate !== undefined && { delegate }),
  ...(token !== undefined && { token }),
  ...(network !== undefined && { network }),
});

/** Shows the exact terms, asks, and then has them carried out by `perform`; the route of the order's kind without it. */
export async function carryOut(
  { running, request }: Connection,
  order: Order,
  { yes, json }: { readonly yes?: boolean; readonly json?: boolean },
  { print, foundWrong, environment }: CommandTools,
  perform: (act: string) => Promise<DelegationAct> = (act) => request(`delegations.${order.kind}`, { act }),
): Promise<void> {
  if (yes && order.kind !== 'revoke' && environment() === 'mainnet') throw new BursarError('INPUT_INVALID', 'With real money --yes is refused: a person reads the terms and answers.', { hint: 'Run the command without it, in a terminal.' });
  const quote = await request('delegations.quote', order);
  if (!yes && !isAtTerminal()) return print(json, quote, () => [...quoteLines(quote), 'Nothing was signed. To sign it: add --yes.']);
  if (!running) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running here.', { hint: 'Start it with: npm start.' });
  process.stderr.write(`${quoteLines(quote).join('\n')}\n`);
  if (!yes) {
    const answer = await askLine('Sign this? Type yes to sign, anything else to leave it: ');
    if (answer.trim().toLowerCase() !== 'yes') throw new BursarError('APPROVAL_CANCELLED', 'Nothing was signed.', { hint: 'What may be spent is as it was.' });
  }
  const act = await perform(quote.act);
  if (act.state === 'dead') foundWrong();
  print(json, act, () => actLines(act));
}

function delegationLines({ state, remaining, approved, balance, tokenAccount, owner, ownerLabel, delegate, delegateLabel, frozen, pays }: DelegationView): readonly string[] {
  const left = state === 'active' ? `${moneyText(remaining)}${approved ? ` of ${moneyText(approved)}` : ''} left` : state === 'revoked' ? 'taken back' : 'used up, or taken back elsewhere';
  return [
    `${remaining.asset.networkName}: ${left}`,
    ...table([
      ['   token account', `${tokenAccount}, which holds ${moneyText(balance)}${frozen ? ' and is frozen' : ''}`],
      ['   owner', `${ownerLabel} ${owner}`.trim()],
      ['   delegate', `${delegateLabel} ${delegate}`.trim()],
    ]),
    ...(state === 'active' && delegateLabel === '' ? ['   WARNING: The delegate is no account of this wallet. It can spend this without asking Bursar.'] : []),
    ...(state === 'active' && delegateLabel !== '' && !pays ? ['   The delegate does not pay from there: bursar account pay-from.'] : []),
  ];
}

const termsLines = ({ kind, money, tokenAccount, owner, ownerLabel, delegate, delegateLabel, balance, replaces, warnings }: Omit<DelegationQuote, 'act' | 'fee' | 'expiresAt'>): readonly string[] => [
  ...table([
    kind === 'revoke' ? ['Take back', replaces ? moneyText(replaces.money) : ''] : ['May be spent', `${moneyText(money)}, all together`],
    ['Network', money.asset.networkName],
    ['Token', `${money.asset.symbol} ${money.asset.address}`],
    ['Token account', `${tokenAccount}, which holds ${moneyText(balance)}`],
    ['Owner', `${ownerLabel} ${owner}`.trim()],
    ['Delegate', `${delegateLabel} ${delegate}`.trim()],
    ...(replaces && kind !== 'revoke' ? [['Replaces', `${moneyText(replaces.money)}, which are left for ${replaces.delegate}`]] : []),
  ]),
  ...warnings.map((warning) => `WARNING: ${oneLine(warning)}`),
];

const quoteLines = (quote: DelegationQuote): readonly string[] => [...termsLines(quote), ...table([['Network fee', `up to ${moneyText(quote.fee)}`]])];

const externalLines = (shown: ExternalDelegation): readonly string[] => [
  ...termsLines(shown),
  '',
  'The transaction says:',
  ...shown.description.map((line) => `   ${oneLine(line)}`),
  '',
  'Unsigned transaction (base64):',
  shown.transaction,
  '',
  'Or with Solana’s own command line:',
  shown.command,
  '',
  ...shown.steps.map((step, at) => `${at + 1}. ${oneLine(step)}`),
];

function actLines({ state, transaction, why, kind }: DelegationAct): readonly string[] {
  if (state === 'dead') return [`It did not come about: ${oneLine(why)} Nothing changed.`];
  const done = kind === 'approve' ? 'Approved' : 'Taken back';
  return [state === 'final' ? `${done}, for good. Transaction ${transaction}` : `${state === 'confirmed' ? `${done}; it is not final yet` : 'Sent; it has not landed yet'}. Bursar watches it. Transaction ${transaction}`];
}
