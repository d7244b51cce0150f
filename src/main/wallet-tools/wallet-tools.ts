import type { Payment } from '../../core/payments/payment.ts';
import type { Journal } from '../../core/ports.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { OwnTools } from '../bridge/aggregate/own-tools.ts';
import { resumedResult } from './resumed-result.ts';
import { RESUME_TOOL, STATUS_TOOL } from './schemas.ts';
import { standingOf } from './standing.ts';

export interface WalletToolsDeps {
  readonly journal: Pick<Journal, 'get' | 'atomically'>;
  readonly assets: Pick<Assets, 'find'>;
  /** Can this server be called? Not every payment was for a tool of one. */
  readonly isServer: (upstream: string) => boolean;
}

/** Bursar's own tools: an agent can ask about its payments and go on with them. None of them approves or raises anything (I7). */
export function createWalletTools({ journal, assets, isServer }: WalletToolsDeps): OwnTools {
  /** A client's own payment; another's does not exist for it. */
  const requireOwn = (client: string, argumentsText: string): Payment => {
    const paymentId = paymentIdOf(argumentsText);
    const payment = paymentId === undefined ? undefined : journal.get(paymentId);
    if (payment === undefined || payment.client !== client) throw new BursarError('NOT_FOUND', 'There is no such payment of this client.', { hint: 'Give the paymentId that payment_pending named.' });
    return payment;
  };
  const standing = (payment: Payment) => standingOf(payment, journal.atomically((tx) => tx.latestOfCall(payment.callKey)));

  const status = (payment: Payment) => {
    const { terms } = payment;
    const asset = terms && assets.find(terms.network, terms.asset);
    return {
      paymentId: payment.id,
      ...standing(payment),
      server: payment.upstream,
      tool: cleanText(payment.tool, 128),
      amount: terms && asset ? formatUnits(terms.amount, asset.decimals) : '',
      token: asset?.symbol ?? '',
      reason: cleanText(payment.reason.text),
      createdAt: new Date(payment.createdAt).toISOString(),
      updatedAt: new Date(payment.updatedAt).toISOString(),
    };
  };

  return {
    listed: [STATUS_TOOL, RESUME_TOOL].map((tool) => JSON.stringify(tool)),
    call(name, { client, argumentsText }) {
      if (name !== STATUS_TOOL.name && name !== RESUME_TOOL.name) return undefined;
      let payment: Payment;
      try {
        payment = requireOwn(client, argumentsText);
      } catch (error) {
        if (error instanceof BursarError) return { kind: 'result', resultText: failure(`${error.message} ${error.hint}`) };
        throw error;
      }
      const told = status(payment);
      if (name === STATUS_TOOL.name) return { kind: 'result', resultText: JSON.stringify({ content: [{ type: 'text', text: inWords(told) }], structuredContent: told }) };
      if (!told.resumable || !isServer(payment.upstream)) return { kind: 'result', resultText: failure(`There is nothing to resume. ${inWords(told)}`) };
      const { id, upstream, tool, argumentsText: given } = payment;
      return { kind: 'again', upstream, tool, argumentsText: given, wrap: (resultText) => resumedResult(resultText, { paymentId: id, server: upstream, tool }) };
    },
  };
}

type Told = Readonly<Record<'paymentId' | 'status' | 'server' | 'tool' | 'amount' | 'token' | 'says' | 'reason' | 'next', string>>;

const inWords = ({ paymentId, status, server, tool, amount, token, says, reason, next }: Told): string =>
  [`Payment ${paymentId}${amount === '' ? '' : ` of ${amount} ${token}`} to server "${server}" for tool "${tool}": ${status}.`, says, reason, next].filter(Boolean).join(' ');

/** An error without structured content, which would have to fit the output schema. */
const failure = (text: string): string => JSON.stringify({ content: [{ type: 'text', text }], isError: true });

function paymentIdOf(argumentsText: string): string | undefined {
  const given = JSON.parse(argumentsText) as { readonly paymentId?: unknown } | null;
  return typeof given?.paymentId === 'string' ? given.paymentId : undefined;
}
