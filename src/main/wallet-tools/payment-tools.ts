import { z } from 'zod';
import type { Payment } from '../../core/payments/payment.ts';
import type { Journal } from '../../core/ports.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { defineTool, failed, type WalletTool } from './define-tool.ts';
import { resumedResult } from './resumed-result.ts';
import { standingOf, type Standing } from './standing.ts';

export interface PaymentToolsDeps {
  readonly journal: Pick<Journal, 'get' | 'atomically'>;
  readonly assets: Pick<Assets, 'find'>;
  /** Can this server be called, or is it Bursar itself? Not every payment was for a tool of one. */
  readonly isServer: (upstream: string) => boolean;
}

const Input = z.strictObject({ paymentId: z.string().regex(/^pay_/).describe('The payment, as payment_pending named it: pay_…') });

const Status = z.strictObject({
  paymentId: z.string().describe('The payment.'),
  status: z.string().describe('One word: waiting, approved, paying, delivered, confirming, not-charged, undelivered, unknown, denied, rejected, expired, cancelled or failed.'),
  resumable: z.boolean().describe('Whether payment_resume can go on from here.'),
  server: z.string().describe('The server that asked for money; bursar where you sent money by a tool of Bursar itself.'),
  tool: z.string().describe('Its tool.'),
  amount: z.string().describe('In whole tokens, as a decimal number; empty where the price could not be read.'),
  token: z.string().describe('The token of the amount, such as USDC; empty where the price could not be read.'),
  says: z.string().describe('How it stands, in a sentence.'),
  reason: z.string().describe('Why, in a sentence; may be empty.'),
  next: z.string().describe('What can be done now.'),
  createdAt: z.string().describe('When it was asked for, as an ISO 8601 time.'),
  updatedAt: z.string().describe('When it last changed, as an ISO 8601 time.'),
});
type Status = z.infer<typeof Status>;

const Resumed = z.strictObject({
  paymentId: z.string().describe('The payment.'),
  server: z.string().describe('The server that answered.'),
  tool: z.string().describe('Its tool.'),
  result: z.unknown().optional().describe('The structured content of the answer, where it has any.'),
});

/** An agent can ask about its payments and go on with them. Neither tool approves or raises anything (I7). */
export function createPaymentTools({ journal, assets, isServer }: PaymentToolsDeps): readonly WalletTool[] {
  /** A client's own payment; another's does not exist for it. */
  const requireOwn = (client: string, paymentId: string): Payment => {
    const payment = journal.get(paymentId);
    if (payment === undefined || payment.client !== client) throw new BursarError('NOT_FOUND', 'There is no such payment of this client.', { hint: 'Give the paymentId that payment_pending named.' });
    return payment;
  };

  const statusOf = (payment: Payment): Status => {
    const { terms } = payment;
    const asset = terms && assets.find(terms.network, terms.asset);
    return {
      paymentId: payment.id,
      ...forSeller(standingOf(payment, journal.atomically((tx) => tx.latestOfCall(payment.callKey))), isServer(payment.upstream)),
      server: payment.upstream,
      tool: cleanText(payment.tool, 128),
      amount: terms && asset ? formatUnits(terms.amount, asset.decimals) : '',
      token: asset?.symbol ?? '',
      reason: cleanText(payment.reason.text),
      createdAt: new Date(payment.createdAt).toISOString(),
      updatedAt: new Date(payment.updatedAt).toISOString(),
    };
  };

  return [
    defineTool({
      name: 'payment_status',
      title: 'Payment status',
      description: 'Says how a payment stands that one of your tool calls asked for, and what can be done now. Reads only; it pays nothing.',
      scope: 'payment_context:read',
      input: Input,
      output: Status,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      async run({ paymentId }, { client }) {
        const status = statusOf(requireOwn(client, paymentId));
        return { kind: 'success', text: inWords(status), structured: status };
      },
    }),
    defineTool({
      name: 'payment_resume',
      title: 'Resume a payment',
      description:
        'Goes on with a tool call that was answered payment_pending: calls the same tool again with the same arguments, waits for the owner where they have not decided, and returns the answer of the tool. ' +
        'It is paid at most once, and only within what the owner allows. The answer of the tool is in the content; its structured content is in result.',
      scope: 'x402:execute',
      input: Input,
      output: Resumed,
      hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
      async run({ paymentId }, { client }) {
        const payment = requireOwn(client, paymentId);
        const status = statusOf(payment);
        if (!status.resumable || !isServer(payment.upstream)) return failed(`There is nothing to resume. ${inWords(status)}`);
        const { id, upstream, tool, argumentsText } = payment;
        return { kind: 'again', upstream, tool, argumentsText, wrap: (resultText) => resumedResult(resultText, { paymentId: id, server: upstream, tool }) };
      },
    }),
  ];
}

/** What was bought over HTTP has no server that could be asked again: the call itself goes on from there. */
const forSeller = (standing: Standing, isServer: boolean): Standing => (standing.resumable && !isServer ? { ...standing, resumable: false, next: 'Call the same tool again with the same arguments: it goes on from there, and is paid at most once.' } : standing);

const inWords = ({ paymentId, status, server, tool, amount, token, says, reason, next }: Status): string =>
  [`Payment ${paymentId}${amount === '' ? '' : ` of ${amount} ${token}`} ${server === OWN_NAME ? `by ${tool}` : `to server "${server}" for tool "${tool}"`}: ${status}.`, says, reason, next].filter(Boolean).join(' ');
