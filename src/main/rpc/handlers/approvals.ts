import type { Approvals } from '../../../core/payments/approvals.ts';
import type { Keys } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../router.ts';
import { approvalView, waitingView } from '../payment-views.ts';

export interface ApprovalDeps {
  readonly approvals: Approvals;
  readonly keys: Keys;
  readonly assets: Assets;
  /** How an upstream is reached, for the owner to read. */
  readonly upstreamAddress: (name: string) => string;
}

/** A terminal counts its own second; the pages share one, which their window's host can overrule. */
const viewerOf = ({ surface, connection }: Caller): string | undefined => (surface === 'cli-approval' ? connection : undefined);

type Routes = 'approvals.waiting' | 'approvals.current' | 'approvals.report' | 'approvals.decide' | 'approvals.active';

export const approvalHandlers = ({ approvals, keys, assets, upstreamAddress }: ApprovalDeps): Pick<Handlers, Routes> => ({
  'approvals.waiting': () => ({ waiting: approvals.waiting().map((waiting) => waitingView(waiting, assets)) }),

  'approvals.current': ({ paymentId }) => {
    const waiting = approvals.waiting();
    const found = paymentId === undefined ? waiting[0] : waiting.find(({ payment }) => payment.id === paymentId);
    if (!found) return { count: waiting.length };
    const { upstream, terms } = found.payment;
    const payerLabel = keys.accounts().find((account) => account.address === terms?.payer)?.label ?? '';
    return { approval: approvalView(found, { upstreamAddress: upstreamAddress(upstream), payerLabel, locked: keys.locked }, assets), count: waiting.length };
  },

  'approvals.report': (shown, caller) => {
    const viewer = viewerOf(caller);
    const answerableAt = approvals.report(shown, viewer);
    if (viewer !== undefined) caller.gone?.addEventListener('abort', () => approvals.report({ ...shown, visible: false }, viewer), { once: true });
    return answerableAt === undefined ? {} : { answerableAt };
  },

  'approvals.decide': (request, caller) => {
    approvals.decide(request, () => {
      if (keys.locked) throw new BursarError('WALLET_LOCKED', 'Bursar is locked.', { hint: 'Unlock it with your passphrase, then approve.' });
    }, viewerOf(caller));
    return {};
  },
  // That it came is what counts: the router tells the idle lock.
  'approvals.active': () => ({}),
});
