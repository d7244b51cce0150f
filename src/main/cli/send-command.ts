import type { Command } from 'commander';
import type { SendQuote } from '../../shared/contract/sends.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { moneyText, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface SendOptions {
  readonly token?: string;
  readonly network?: string;
  readonly memo?: string;
  readonly from?: string;
  readonly quote?: boolean;
  readonly json?: boolean;
}

/** `bursar send`. */
export function addSendCommand(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('send')
    .description('send money to an address or a contact: within your limits, and with your approval')
    .argument('<to>', 'an address, or contact:NUMBER')
    .argument('<amount>', 'in whole tokens: 1.50')
    .option('--token <symbol>', 'token or coin; USDC without it')
    .option('--network <network>', 'by its name or CAIP-2 id; one that fits without it')
    .option('--memo <text>', 'what it is for; it stays in your history')
    .option('--from <address>', 'the account that pays')
    .option('--quote', 'only show what it would cost, and what speaks against it')
    .option(...JSON_OPTION)
    .action((to: string, amount: string, options: SendOptions) => withConnection((connection) => send(connection, to, amount, options, print)));
}

async function send({ running, request }: Connection, to: string, amount: string, { token, network, memo, from, quote, json }: SendOptions, print: CommandTools['print']): Promise<void> {
  const input = {
    to: targetOf(to),
    amount,
    ...(token !== undefined && { token }),
    ...(network !== undefined && { network }),
    ...(memo !== undefined && { memo }),
    ...(from !== undefined && { from }),
  };
  if (quote) {
    const quoted = await request('sends.quote', input);
    return print(json, quoted, () => quoteLines(quoted));
  }
  if (!running) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running here.', { hint: 'Start it with: npm start.' });
  const sent = await request('sends.send', input);
  print(json, sent, () => [`Sent ${moneyText(sent.money)} on ${sent.money.asset.networkName} to ${sent.recipient}.`, `Payment ${sent.paymentId}, transaction ${sent.transaction}`]);
}

function targetOf(to: string) {
  const [, number] = /^contact:([1-9]\d{0,14})$/.exec(to) ?? [];
  if (number !== undefined) return { contact: Number(number) };
  if (to.startsWith('contact:')) throw new BursarError('INPUT_INVALID', 'Name a contact by its number, such as contact:3.');
  return { address: to };
}

/** What a send would be and cost, in lines. */
export const quoteLines = ({ recipient, paymentType, payee, claimableUntil, money, fees, payer, payerLabel, warnings, others }: SendQuote): readonly string[] => [
  ...table([
    ['Send', moneyText(money)],
    ['Network', money.asset.networkName],
    ['To', recipient === payee || payee === '' ? recipient : `${recipient}, ${payee}`],
    ...(paymentType === 'escrow' && claimableUntil !== undefined ? [['By escrow', `claimed with a link until ${new Date(claimableUntil).toISOString().slice(0, 10)}; else it comes back`]] : []),
    ['From', `${payerLabel} ${payer}`.trim()],
    ...fees.map((fee) => ['Network fee', `up to ${moneyText(fee)}${fee.rentUnits === undefined ? '' : `; ${moneyText({ asset: fee.asset, units: fee.rentUnits })} of it is rent${paymentType === 'escrow' ? ' and the escrow\'s own fees' : ' for a token account that is made for the payee'}`}`]),
    ...(others.length > 0 ? [['Also possible on', others.join(', ')]] : []),
  ]),
  ...warnings.map((warning) => `WARNING: ${warning}`),
  'Nothing was sent.',
];
