import { z } from 'zod';
import type { Journal } from '../../core/ports.ts';
import { UnitsText } from '../../shared/contract/values.ts';
import type { ServerWords } from '../bridge/server-words.ts';
import type { HttpBuyer } from '../http-buyer/http-buyer.ts';
import { checkRequest, HTTP_METHODS, serverNameOf, toolNameOf, type HttpRequest } from '../http-buyer/http-request.ts';
import { agentError, payingError } from './agent-errors.ts';
import { defineTool, failed, type WalletTool } from './define-tool.ts';
import { pendingResult, problemOf, refusalWords } from './purchase-words.ts';

export interface PayToolDeps {
  readonly buyer: HttpBuyer;
  readonly journal: Pick<Journal, 'get'>;
  readonly words: Pick<ServerWords, 'note'>;
}

export const RequestInput = {
  url: z.string().min(1).max(4096).describe('Address of the API, with https://.'),
  method: z.string().max(10).optional().describe(`One of ${HTTP_METHODS.join(', ')}; GET without it, or POST with a body.`),
  headers: z.record(z.string().max(200), z.string().max(8192)).optional().describe('Headers of the request. Bursar adds the payment itself.'),
  body: z.string().max(1_000_000).optional().describe('Body of the request, as text; JSON has to be written as text too.'),
};

/** Kept for agents that know them from elsewhere. Neither is looked at, kept or passed on. */
export const IgnoredInput = {
  passphrase: z.string().optional().describe('Ignored. Keys are the owner\'s affair: never send a secret here.'),
  tokenAccount: z.string().optional().describe('Ignored. The owner chooses which account pays.'),
};

const PayInput = z.strictObject({
  ...RequestInput,
  maxAmount: UnitsText.optional().describe('The most that this call may cost, in the token\'s smallest units: 10000 is 0.01 USDC. The owner\'s limits hold beside it.'),
  ...IgnoredInput,
});

const PayOutput = z.strictObject({
  status: z.literal('success'),
  paymentRequired: z.boolean().describe('Whether the API asked for money.'),
  httpStatus: z.number().int().describe('HTTP status of the answer.'),
  content: z.string().describe('Body of the answer; bytes in base64 where encoding says so.'),
  encoding: z.enum(['utf8', 'base64']).describe('What content is.'),
  paymentId: z.string().optional().describe('The payment; payment_status tells more.'),
  transactionSignature: z.string().optional().describe('Transaction of the payment, once it is known.'),
  amountPaid: z.string().optional().describe('In the token\'s smallest units.'),
  asset: z.string().optional().describe('Token contract or mint.'),
  network: z.string().optional().describe('CAIP-2 id.'),
  payTo: z.string().optional().describe('Who was paid.'),
  message: z.string().optional(),
  warning: z.string().optional().describe('What is odd about it.'),
});

interface GivenRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly body?: string | undefined;
}

/** The request that the arguments describe. */
export function requestOf({ url, method, headers = {}, body }: GivenRequest): HttpRequest {
  const saysType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    url,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...headers, ...(body !== undefined && !saysType && { 'content-type': typeOf(body) }) },
    ...(body !== undefined && { body: Buffer.from(body, 'utf8') }),
  };
}

const typeOf = (body: string): string => (/^\s*[[{]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8');

/** Any paid HTTP API, within the owner's limits. */
export const createPayTool = ({ buyer, journal, words }: PayToolDeps): WalletTool =>
  defineTool({
    name: 'x402_pay',
    title: 'Pay for an HTTP API',
    description:
      'Sends a request to an HTTP API and, if it answers 402 Payment Required, pays for it within the owner\'s limits and returns the answer. The owner may be asked first: then payment_pending comes back, and the same call ' +
      'with the same arguments goes on from there, paid at most once. Keys are the owner\'s affair: passphrase and tokenAccount are accepted and ignored, and no secret belongs here.',
    scope: 'x402:execute',
    input: PayInput,
    output: PayOutput,
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    failure: (error) => agentError(payingError(error), { code: error.code, message: refusalWords(error.message), hint: error.hint }),
    async run(given, call) {
      const { maxAmount } = given;
      const { client, session, seenIn, signal } = call;
      const request = requestOf(given);
      const checked = checkRequest(request);
      const seller = serverNameOf(checked.url);
      const purchase = await buyer.buy(request, { client, session, seenIn, signal, progress: (message) => call.progress(message), ...(call.requireMayPay && { requireMayPay: call.requireMayPay }), ...(maxAmount !== undefined && { limit: { amount: maxAmount, unit: 'units' } }) });
      if (purchase.kind === 'pending') {
        return pendingResult(purchase, { tool: toolNameOf(checked), seller, text: (message, expiresAt) => JSON.stringify({ error: 'PAYMENT_PENDING', status: 'payment_pending', message, paymentId: purchase.paymentId, expiresAt }) });
      }
      if (purchase.kind === 'refusal') {
        const { error, paymentId } = purchase;
        return failed(agentError(payingError(error), { ...error, message: refusalWords(error.message) }, paymentId === '' ? {} : { paymentId }));
      }
      const { answer, paymentId, delivered } = purchase;
      words.note({ client, upstream: seller, tool: toolNameOf(checked) }, answer.encoding === 'utf8' ? answer.body : '');
      const payment = paymentId === '' ? undefined : journal.get(paymentId);
      const warning = problemOf(answer);
      const structured: z.input<typeof PayOutput> = {
        status: 'success',
        paymentRequired: paymentId !== '',
        httpStatus: answer.status,
        content: answer.body,
        encoding: answer.encoding,
        ...(payment?.terms && {
          paymentId,
          ...(payment.transaction !== '' && { transactionSignature: payment.transaction }),
          amountPaid: payment.terms.amount.toString(),
          asset: payment.terms.asset,
          network: payment.terms.network,
          payTo: payment.terms.payee,
        }),
        ...(paymentId === '' && { message: 'Nothing was asked for it.' }),
        ...(warning !== undefined && { warning }),
      };
      return { kind: 'success', text: JSON.stringify(structured), structured, delivered };
    },
  });
