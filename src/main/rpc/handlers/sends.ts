import type { Journal } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { requireNetwork } from '../../../core/registry/networks.ts';
import type { ParsedRouteInput } from '../../../shared/contract/contract.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { OWNER_CLIENT } from '../../http-buyer/http-buyer.ts';
import { canonicalAmount } from '../../wallet/amount.ts';
import { DEFAULT_TOKEN, type SendRequest } from '../../wallet/send-terms.ts';
import type { Sends } from '../../wallet/sends.ts';
import { moneyView } from '../payment-views.ts';
import { choiceView, escrowQuoteView } from '../quote-views.ts';
import type { Handlers } from '../router.ts';

export interface SendDeps {
  readonly sends: Sends;
  readonly journal: Pick<Journal, 'get'>;
  readonly assets: Assets;
}

/** The owner's own sends: rules name this tool. */
const TOOL = 'send';

export const sendHandlers = ({ sends, journal, assets }: SendDeps): Pick<Handlers, 'sends.quote' | 'sends.send'> => ({
  async 'sends.quote'(input, { gone = new AbortController().signal }) {
    const quoted = await sends.quote(requestOf(input), OWNER_CLIENT, gone);
    if (quoted.type === 'escrow') return escrowQuoteView(quoted, assets);
    const { choice, plan: { order: { recipient, warnings }, ways } } = quoted;
    const { terms } = choice;
    return {
      ...choiceView(choice, assets),
      recipient,
      paymentType: 'direct',
      payee: terms.payee,
      warnings: warnings.map((words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`),
      others: [...new Set(ways.map(({ network }) => network))].filter((network) => network !== terms.network).map((network) => requireNetwork(network).name),
    };
  },

  async 'sends.send'(input, { connection, gone = new AbortController().signal }) {
    // No server has told this client anything: the address is the owner's.
    const outcome = await sends.send(requestOf(input), { client: OWNER_CLIENT, session: connection, seenIn: () => '', signal: gone, progress: () => {} });
    const { sent } = outcome;
    if (sent.kind === 'refusal') throw new BursarError(sent.error.code, sent.error.message, { hint: sent.error.hint, context: sent.error.context });
    if (sent.kind === 'pending') throw new BursarError('PAYMENT_PENDING', `The payment ${sent.paymentId} waits for your decision.`, { hint: 'Decide in Bursar, then do the same again: it is sent at most once.' });
    const payment = journal.get(sent.paymentId);
    const terms = payment?.terms;
    if (!terms) throw new BursarError('INTERNAL', `The payment ${sent.paymentId} has no terms.`);
    sent.delivered(!gone.aborted);
    return {
      paymentId: payment.id,
      transaction: sent.transaction,
      paymentType: outcome.type,
      ...(outcome.type === 'escrow' && outcome.sent.kind === 'sent' && { escrowId: outcome.sent.escrowId }),
      recipient: outcome.type === 'direct' ? outcome.plan.order.recipient : `contact ${outcome.contact.number} (${outcome.contact.name})`,
      payee: terms.payee,
      money: moneyView(terms, assets),
      sentAt: payment.createdAt,
    };
  },
});

function requestOf({ to, amount, token = DEFAULT_TOKEN, network, memo, from }: ParsedRouteInput<'sends.send'>): SendRequest {
  return {
    tool: TOOL,
    to: 'address' in to ? { kind: 'address', address: to.address } : { kind: 'contact', number: to.contact },
    terms: { amount: canonicalAmount(amount), token, memo, ...(network !== undefined && { network }) },
    byOwner: true,
    ...(from !== undefined && { from }),
  };
}
