import type { Approvals } from '../../../core/payments/approvals.ts';
import type { Keys } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Handlers } from '../router.ts';
import { approvalView, waitingView } from '../payment-views.ts';

export interface ApprovalDeps {
  readonly approvals: Approvals;
  readonly keys: Keys;
  readonly assets: Assets;
  /** How an upstream is reached, for the owner to read. */
  readonly upstreamAddress: (name: string) => string;
}

type Routes = 'approvals.waiting' | 'approvals.current' | 'approvals.report' | 'approvals.decide';

export const approvalHandlers = ({ approvals, keys, assets, upstreamAddress }: ApprovalDeps): Pick<Handlers, Routes> => ({
  'approvals.waiting': () => ({ waiting: approvals.waiting().map((waiting) => waitingView(waiting, assets)) }),

  'approvals.current': () => {
    const waiting = approvals.waiting();
    const oldest = waiting[0];
    if (!oldest) return { count: 0 };
    const { upstream, terms } = oldest.payment;
    const payerLabel = keys.accounts().find((account) => account.address === terms?.payer)?.label ?? '';
    return { approval: approvalView(oldest, { upstreamAddress: upstreamAddress(upstream), payerLabel, locked: keys.locked }, assets), count: waiting.length };
  },

  'approvals.report': (shown) => {
    const answerableAt = approvals.report(shown);
    return answerableAt === undefined ? {} : { answerableAt };
  },

  'approvals.decide': (request) => {
    approvals.decide(request, () => {
      if (keys.locked) throw new BursarError('WALLET_LOCKED', 'Bursar is locked.', { hint: 'Unlock it with your passphrase, then approve.' });
    });
    return {};
  },
});
