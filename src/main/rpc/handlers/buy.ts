import type { Journal } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { OWNER_CLIENT, type HttpBuyer } from '../../http-buyer/http-buyer.ts';
import { paymentView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface BuyDeps {
  readonly buyer: HttpBuyer;
  readonly journal: Pick<Journal, 'get'>;
  readonly assets: Assets;
}

/** The owner's own purchases. They go the same way as an agent's, and ask as those do. */
export const buyHandlers = ({ buyer, journal, assets }: BuyDeps): Pick<Handlers, 'payments.buy'> => ({
  async 'payments.buy'({ url, method, headers, body, max }, { connection, gone = new AbortController().signal }) {
    const purchase = await buyer.buy(
      { url, ...(method !== undefined && { method }), ...(headers && { headers }), ...(body && { body: Buffer.from(body.text, body.encoding) }) },
      // No server has told this client anything: its words are the owner's.
      { client: OWNER_CLIENT, session: connection, seenIn: () => '', signal: gone, progress: () => {}, ...(max !== undefined && { limit: { amount: max, unit: 'tokens' } }) },
    );
    if (purchase.kind === 'refusal') throw new BursarError(purchase.error.code, purchase.error.message, { hint: purchase.error.hint, context: purchase.error.context });
    if (purchase.kind === 'pending') throw new BursarError('PAYMENT_PENDING', `The payment ${purchase.paymentId} waits for your decision.`, { hint: 'Decide in Bursar, then run the same command again: it is paid at most once.' });
    const { answer, paymentId } = purchase;
    const payment = journal.get(paymentId);
    purchase.delivered(!gone.aborted);
    return { ...answer, ...(payment && { payment: paymentView(journal.get(paymentId) ?? payment, assets) }) };
  },
});
