import type { Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Connection } from './connection.ts';

export interface PaymentCommandTools {
  readonly withConnection: (work: (connection: Connection) => Promise<void>) => Promise<void>;
  readonly print: (json: boolean | undefined, value: unknown, lines: () => readonly string[]) => void;
}

/** `bursar dispute` and `bursar payment …`. */
export function addPaymentCommands(program: Command, { withConnection, print }: PaymentCommandTools): void {
  program
    .command('dispute')
    .description('print the evidence of a payment: terms, challenge, proof, transaction, receipt, hashes, timeline')
    .argument('<payment>', 'id of the payment, as the history shows it')
    .option('--json', 'print one JSON object')
    .option('--markdown', 'print a page to read (this is the default)')
    .action((paymentId: string, { json, markdown }: { json?: boolean; markdown?: boolean }) => {
      if (json && markdown) throw new BursarError('INPUT_INVALID', 'Give either --json or --markdown.');
      return withConnection(async ({ request }) => {
        const dispute = await request('payments.dispute', { paymentId });
        print(json, dispute.packet, () => [dispute.markdown]);
      });
    });

  const payment = program.command('payment').description('what an owner can do about single payments');
  payment
    .command('cancel')
    .description('end a payment that is not settled: one that is not signed at once, a signed one by a transaction that costs a fee')
    .argument('<payment>', 'id of the payment, as the history shows it')
    .option('--yes', 'send the transaction; without it only its cost is shown')
    .option('--json', 'print one JSON object')
    .action((paymentId: string, options: { yes?: boolean; json?: boolean }) => withConnection((connection) => cancel(connection, paymentId, options, print)));
  payment
    .command('pardon')
    .description('trust a server again that was paid and did not answer')
    .argument('<upstream>')
    .action((upstream: string) => withConnection(async ({ request }) => void (await request('payments.pardon', { upstream }))));
}

async function cancel({ request }: Connection, paymentId: string, { yes, json }: { yes?: boolean; json?: boolean }, print: PaymentCommandTools['print']): Promise<void> {
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
