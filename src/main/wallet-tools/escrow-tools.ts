import { z } from 'zod';
import type { Assets } from '../../core/registry/assets.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import { errorText } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { EscrowState } from '../../shared/contract/escrows.ts';
import type { OwnToolAnswer, OwnToolCall } from '../bridge/aggregate/own-tools.ts';
import type { SendToOrder } from '../escrow/escrows.ts';
import type { EscrowOutcome, EscrowQuote } from '../escrow/fund.ts';
import { amountArgument } from '../wallet/amount.ts';
import { DEFAULT_TOKEN } from '../wallet/send-terms.ts';
import type { Sender } from '../wallet/orders.ts';
import { costWords } from './cost-words.ts';
import { defineTool, failed, type ToolSuccess, type WalletTool } from './define-tool.ts';

export interface EscrowToolsDeps {
  readonly send: (order: SendToOrder, sender: Sender) => Promise<EscrowOutcome>;
  readonly quote: (order: SendToOrder, client: string, signal: AbortSignal) => Promise<EscrowQuote>;
  readonly assets: Pick<Assets, 'find'>;
}

const Amount = z
  .union([z.string().min(1).max(100), z.number()])
  .describe('Whole tokens, more than zero, such as "1.50". Best as a string: a number is taken only where it is exact.');
const Memo = z.string().max(500).optional().describe('What the payment is for. The owner and the recipient read it; it is written to no chain.');
const Token = z.string().min(1).max(20).optional().describe('Symbol of the token; USDC without it.');
const Network = z.string().min(1).max(64).optional().describe('Network by its name or CAIP-2 id, such as Base or eip155:8453; without it, one that can pay is chosen.');

const Sent = z.object({
  status: EscrowState.describe('funded: the money lies in escrow and nobody was told yet; the owner sees to it. notified: the recipient was sent the link. A later status tells what became of it.'),
  paymentId: z.string().describe('The payment, for payment_status.'),
  transactionId: z.string().describe('The transaction that put the money into escrow.'),
  escrowId: z.string().describe('The escrow, by which the owner finds it.'),
  amount: z.string().describe('In whole tokens, as a decimal number.'),
  token: z.string().describe('The token.'),
  network: z.string().describe('The network.'),
  recipient: z.string().describe('The e-mail address or phone number.'),
  memo: z.string().describe('The memo.'),
  expiresAt: z.string().describe('Until when it can be claimed, as an ISO 8601 time. After that the money goes back.'),
});

const HINTS = { readOnly: false, destructive: true, idempotent: false, openWorld: true } as const;
const ROAD =
  'The money is put into an escrow account made for this payment; the recipient claims it by a link that goes to them alone, needs no wallet beforehand and no other money. What is not claimed in time goes back to the owner. ' +
  'The owner\'s limits hold, and the owner is asked where their rules do not name this tool: the result may then be payment_pending. Calling again with the same arguments goes on with an order that is under way and never sends twice; once it was reported, it is a new order.';

/** Sending money to people without a wallet. The claim link never comes near the agent: whoever has it can take the money (I6). */
export function createEscrowTools({ send, quote, assets }: EscrowToolsDeps): readonly WalletTool[] {
  async function run(tool: string, to: Pick<SendToOrder, 'kind' | 'to'>, { memo = '', token = DEFAULT_TOKEN, network }: { memo?: string | undefined; token?: string | undefined; network?: string | undefined }, call: OwnToolCall): Promise<ToolSuccess<z.input<typeof Sent>> | OwnToolAnswer> {
    const { client, session, seenIn, startedAt, signal, progress, requireMayPay, argumentsText } = call;
    const order = { tool, ...to, amount: amountArgument(argumentsText), token, memo, byOwner: false, ...(network !== undefined && { network }) };
    const outcome = await send(order, { client, session, seenIn, startedAt, signal, progress, ...(requireMayPay && { requireMayPay }) });
    if (outcome.kind === 'refusal') return failed(errorText(outcome.error));
    if (outcome.kind === 'pending') {
      const cost = await quote(order, client, signal).then(({ choice }) => costWords(choice, 'escrow'), () => '');
      return failed(
        'payment_pending: the owner has not decided about this order yet. Nothing was sent. ' +
          `${cost}To continue, call the same tool again with the same arguments, or payment_resume: it waits on, and is sent at most once. The request ${outcome.paymentId} is open until ${new Date(outcome.expiresAt).toISOString()}. (PAYMENT_PENDING)`,
      );
    }
    const { escrow, paymentId, transaction, delivered } = outcome;
    const asset = assets.find(escrow.network, escrow.asset);
    const structured = {
      status: escrow.state,
      paymentId,
      transactionId: transaction,
      escrowId: escrow.id,
      amount: asset ? formatUnits(escrow.units, asset.decimals) : '',
      token: asset?.symbol ?? '',
      network: requireNetwork(escrow.network).name,
      recipient: to.to,
      memo: cleanText(memo, 500),
      expiresAt: new Date(escrow.expiresAt).toISOString(),
    };
    return { kind: 'success', text: inWords(structured), structured, delivered };
  }

  return [
    defineTool({
      name: 'send_to_email',
      title: 'Send to an e-mail address',
      description: `Sends USDC to somebody by their e-mail address. ${ROAD}`,
      scope: 'email_payments:write',
      input: z.strictObject({ email: z.string().min(3).max(320).describe('The recipient\'s e-mail address.'), amount: Amount, memo: Memo, token: Token, network: Network }),
      output: Sent,
      hints: HINTS,
      run: ({ email, ...rest }, call) => run('send_to_email', { kind: 'email', to: email }, rest, call),
    }),
    defineTool({
      name: 'send_to_sms',
      title: 'Send to a phone number',
      description: `Sends USDC to somebody by their phone number; the owner sends them the link in a text message. ${ROAD}`,
      scope: 'sms_payments:write',
      input: z.strictObject({ phone: z.string().min(5).max(40).describe('The recipient\'s phone number with its country code, such as +4915123456789.'), amount: Amount, memo: Memo, token: Token, network: Network }),
      output: Sent,
      hints: HINTS,
      run: ({ phone, ...rest }, call) => run('send_to_sms', { kind: 'sms', to: phone }, rest, call),
    }),
  ];
}

const inWords = ({ amount, token, network, recipient, escrowId, transactionId, paymentId, status, expiresAt }: z.input<typeof Sent>): string =>
  `Put ${amount} ${token} on ${network} into escrow ${escrowId} for ${recipient}. ` +
  `${status === 'notified' ? 'They were sent the link to claim it' : status === 'funded' ? 'They were not sent the link yet: the owner sees to that' : `It is ${status} by now`}; it can be claimed until ${expiresAt}. Transaction ${transactionId}. Payment ${paymentId}.`;
