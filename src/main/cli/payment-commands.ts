import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Connection } from './connection.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';
import { headerPair } from './options.ts';

/** `bursar pay-url`, `bursar dispute` and `bursar payment …`. */
export function addPaymentCommands(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('dispute')
    .description('print the evidence of a payment: terms, challenge, proof, transaction, receipt, hashes, timeline')
    .argument('<payment>', 'id of the payment, as the history shows it')
    .option(...JSON_OPTION)
    .option('--markdown', 'print a page to read (this is the default)')
    .action((paymentId: string, { json, markdown }: { json?: boolean; markdown?: boolean }) => {
      if (json && markdown) throw new BursarError('INPUT_INVALID', 'Give either --json or --markdown.');
      return withConnection(async ({ request }) => {
        const dispute = await request('payments.dispute', { paymentId });
        print(json, dispute.packet, () => [dispute.markdown]);
      });
    });

  program
    .command('pay-url')
    .description('send a request to an HTTP API, and pay if it asks: within your limits, and with your approval where they say so')
    .argument('<url>')
    .option('--method <method>', 'GET without it, or POST with --data')
    .option('--header <name=value>', 'header of the request (repeatable)', headerPair)
    .option('--data <text>', 'body of the request; @- reads it from standard input')
    .option('--max <amount>', 'the most that it may cost, in whole tokens: 0.05')
    .option(...JSON_OPTION)
    .action((url: string, options: PayUrlOptions) => withConnection((connection) => payUrl(connection, url, options, print)));

  const payment = program.command('payment').description('what an owner can do about single payments');
  payment
    .command('cancel')
    .description('end a payment that is not settled: one that is not signed at once, a signed one by a transaction that costs a fee')
    .argument('<payment>', 'id of the payment, as the history shows it')
    .option('--yes', 'send the transaction; without it only its cost is shown')
    .option(...JSON_OPTION)
    .action((paymentId: string, options: { yes?: boolean; json?: boolean }) => withConnection((connection) => cancel(connection, paymentId, options, print)));
  payment
    .command('pardon')
    .description('trust a server again that was paid and did not answer')
    .argument('<upstream>')
    .option(...JSON_OPTION)
    .action((upstream: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('payments.pardon', { upstream });
        print(json, { upstream, pardoned: true }, () => [`The rules hold for ${upstream} again.`]);
      }),
    );
}

interface PayUrlOptions {
  readonly method?: string;
  readonly header?: Record<string, string>;
  readonly data?: string;
  readonly max?: string;
  readonly json?: boolean;
}

/** The answer's body goes to standard output as it came, and what it cost to standard error. */
async function payUrl({ running, request }: Connection, url: string, { method, header, data, max, json }: PayUrlOptions, print: CommandTools['print']): Promise<void> {
  if (!running) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running here.', { hint: 'Start it with: npm start.' });
  const body = data === '@-' ? await buffer(process.stdin) : data === undefined ? undefined : Buffer.from(data, 'utf8');
  const bought = await request('payments.buy', {
    url,
    ...(header && { headers: header }),
    ...(method !== undefined ? { method } : body && { method: 'POST' }),
    ...(body && { body: { text: body.toString('base64'), encoding: 'base64' as const } }),
    ...(max !== undefined && { max }),
  });
  if (json) return print(json, bought, () => []);
  const { payment } = bought;
  const cost = payment?.money ? `Paid ${formatUnits(BigInt(payment.money.units), payment.money.asset.decimals, 2)} ${payment.money.asset.symbol} to ${payment.payee} (${payment.id}).` : 'Nothing was asked for it.';
  process.stderr.write(`HTTP ${bought.status}. ${cost}\n`);
  process.stdout.write(Buffer.from(bought.body, bought.encoding));
}

async function cancel({ request }: Connection, paymentId: string, { yes, json }: { yes?: boolean; json?: boolean }, print: CommandTools['print']): Promise<void> {
  const { cancellation } = await request('payments.detail', { paymentId });
  if (cancellation === 'withdraw') {
    await request('payments.withdraw', { paymentId });
    return print(json, { withdrawn: true }, () => ['Taken back. Nothing was signed.']);
  }
  const cost = await request('payments.cancelCost', { paymentId });
  const write = (units: string) => `${formatUnits(BigInt(units), cost.decimals, 2)} ${cost.coin}`;
  const price = `It costs at most ${write(cost.maxFeeUnits)}; the paying account holds ${write(cost.balanceUnits)}.`;
  const enough = BigInt(cost.balanceUnits) >= BigInt(cost.maxFeeUnits);
  if (!yes) {
    const next = enough ? 'Nothing was sent. To send it: add --yes.' : 'That is not enough. Send some of the coin to the account, or wait until the authorization has expired.';
    return print(json, cost, () => [price, next]);
  }
  const { transaction } = await request('payments.cancel', { paymentId, maxFeeUnits: cost.maxFeeUnits });
  print(json, { ...cost, transaction }, () => [price, `Sent ${transaction}. The budget is free again once the chain shows it for good.`]);
}
