import type { Approvals, Waiting } from '../../../core/payments/approvals.ts';
import { ORDER } from '../../../core/challenges/order.ts';
import { sameAddress } from '../../../core/policy/scope.ts';
import type { Journal, Keys } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { BursarError, isBursarError } from '../../../shared/errors/errors.ts';
import type { Contact, ContactStore } from '../../adapters/store/contacts.ts';
import type { Handlers } from '../router.ts';
import { approvalFacts, approvalView, waitingView, type KnownOfRequest } from '../payment-views.ts';
import { viewerOf } from '../viewer.ts';

export interface ApprovalDeps {
  readonly approvals: Approvals;
  readonly keys: Keys;
  readonly assets: Assets;
  readonly journal: Pick<Journal, 'atomically'>;
  readonly contacts: Pick<ContactStore, 'list'>;
  /** How an upstream is reached, for the owner to read. */
  readonly upstreamAddress: (name: string) => string;
}

type Routes = 'approvals.waiting' | 'approvals.inFull' | 'approvals.current' | 'approvals.report' | 'approvals.decide' | 'approvals.active';

export function approvalHandlers({ approvals, keys, assets, journal, contacts, upstreamAddress }: ApprovalDeps): Pick<Handlers, Routes> {
  /** Names are sealed: while the keys are locked nobody is known by one. */
  const knownContacts = async (): Promise<readonly Contact[]> => {
    try {
      return await contacts.list();
    } catch (error) {
      if (isBursarError(error, 'WALLET_LOCKED')) return [];
      throw error;
    }
  };

  const known = ({ payment: { upstream, terms }, challenge }: Waiting, book: readonly Contact[]): KnownOfRequest => {
    const contact = terms && book.find(({ addresses }) => addresses.some(({ chain, address }) => `${terms.network}:`.startsWith(`${chain}:`) && sameAddress(address, terms.payee)));
    const isFirst = terms !== undefined && !journal.atomically((tx) => (challenge.order ? tx.everPaid(terms.network, terms.payee, ORDER) : tx.everPaid(terms.network, terms.payee)));
    return {
      upstreamAddress: upstreamAddress(upstream),
      payerLabel: keys.accounts().find(({ address }) => address === terms?.payer)?.label ?? '',
      ...(contact && { contact: { number: contact.number, name: contact.name } }),
      firstPayment: isFirst,
    };
  };

  return {
    'approvals.waiting': () => ({ waiting: approvals.waiting().map((waiting) => waitingView(waiting, assets)) }),

    async 'approvals.inFull'() {
      const book = await knownContacts();
      return { waiting: approvals.waiting().map((waiting) => approvalFacts(waiting, known(waiting, book), assets)) };
    },

    async 'approvals.current'({ paymentId }) {
      const book = await knownContacts();
      const waiting = approvals.waiting();
      const found = paymentId === undefined ? waiting[0] : waiting.find(({ payment }) => payment.id === paymentId);
      return { ...(found && { approval: approvalView(found, { ...known(found, book), locked: keys.locked }, assets) }), count: waiting.length };
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
  };
}
