import { failpoint } from '../../core/failpoint.ts';
import type { Clock, Integrity, Log, RandomBytes } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import type { ClaimMessage } from '../../shared/contract/escrows.ts';
import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { checkEmail, checkPhone } from '../../shared/text/recipient.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import { createFacilitators } from '../adapters/facilitators/facilitators.ts';
import { sendMail } from '../adapters/mail/mailer.ts';
import type { ContactStore } from '../adapters/store/contacts.ts';
import type { LedgerIntegrity } from '../adapters/store/integrity.ts';
import type { Escrow, EscrowStore } from '../adapters/store/escrows.ts';
import type { MailStore } from '../adapters/store/mail-settings.ts';
import { createClaim, type ClaimedMoney } from './claim.ts';
import { claimMessage } from './claim-message.ts';
import type { EscrowSeed } from './escrow-keys.ts';
import { createFollow, requireMoney, type Follow } from './follow.ts';
import { createFund, type EscrowOrder, type EscrowOutcome, type EscrowQuote } from './fund.ts';
import { createMoves } from './moves.ts';
import { createSweep, type Sweep } from './sweep.ts';
import type { Orders, Sender } from '../wallet/orders.ts';
import type { EscrowRequest, QuoteByEscrow, SendByEscrow } from '../wallet/sends.ts';

export interface EscrowsPorts {
  readonly orders: Orders;
  readonly store: EscrowStore;
  readonly mail: MailStore;
  readonly contacts: Pick<ContactStore, 'list'>;
  readonly seed: EscrowSeed;
  readonly integrity: Pick<Integrity, 'requireSound' | 'mayRecord'> & Pick<LedgerIntegrity, 'requireWhole'>;
  readonly random: RandomBytes;
  readonly clock: Clock;
  readonly log: Log;
  /** The tokens that may be paid now; and those that any payment of the past was made in. */
  readonly assets: Assets;
  readonly shownAssets: Assets;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  readonly chains: () => Chains;
  readonly networks: () => readonly NetworkId[];
  readonly facilitators: (network: NetworkId) => readonly string[];
  readonly claims: () => { readonly pageUrl: string; readonly expiryDays: number };
  readonly changed: () => void;
}

/** A payment to an e-mail address or a phone, as it was asked for. */
export interface SendToOrder {
  /** One of Bursar's own tools; rules of the owner name it. */
  readonly tool: string;
  readonly kind: 'email' | 'sms';
  readonly to: string;
  /** Whole tokens, as `canonicalAmount` writes them. */
  readonly amount: string;
  readonly token: string;
  readonly network?: string;
  readonly memo: string;
  readonly byOwner: boolean;
  /** Address of the account that has to pay. */
  readonly from?: string;
}

/** Payments to people without a wallet. */
export interface Escrows {
  readonly send: SendByEscrow;
  readonly quote: QuoteByEscrow;
  readonly sweep: Sweep;
  readonly store: EscrowStore;
  readonly refund: Follow['refund'];
  /** By e-mail address or phone number; checks it first. Throws what `createFund` and `recipient.ts` do. */
  sendTo(order: SendToOrder, sender: Sender): Promise<EscrowOutcome>;
  /** What {@link Escrows.sendTo} would be and cost now; makes nothing. Throws as that does. */
  quoteTo(order: SendToOrder, client: string, signal: AbortSignal): Promise<EscrowQuote>;
  /** The link and the words around it, for the owner alone; it counts as handed over then. Throws `CLAIM_GONE`, `CLAIM_EXPIRED`, `CLAIM_PAGE_MISSING`, `NOT_FOUND`, and what `requireSound` does. */
  message(id: string): Promise<ClaimMessage>;
  /** Mails the link again. Throws `MAIL_FAILED`, `CLAIM_GONE`, `CLAIM_EXPIRED`, `CLAIM_PAGE_MISSING`, `NOT_FOUND`, and what `requireSound` does. */
  resend(id: string): Promise<Escrow>;
  claim(link: string, to: string, signal: AbortSignal): Promise<ClaimedMoney>;
}

/** Escrows over orders, the chains, the facilitators and the owner's mail server. */
export function createEscrows(ports: EscrowsPorts): Escrows {
  const { orders, store, mail, contacts, seed, integrity, random, clock, log, assets, shownAssets, chains, networks, claims, changed } = ports;
  const moves = createMoves({ assets: shownAssets, random, chains, facilitators: createFacilitators({ addresses: ports.facilitators, log }), clock });
  const changing = (id: string, columns: Parameters<EscrowStore['change']>[1]): Escrow => {
    const after = store.change(id, columns);
    changed();
    return after;
  };

  async function composed(escrow: Escrow) {
    // Whoever has the link has the money, and the page that it leads to reads it.
    integrity.requireSound();
    const details = await store.details(escrow.id);
    const asset = requireAsset(shownAssets, escrow);
    const { pageUrl } = claims();
    if (pageUrl === '') throw new BursarError('CLAIM_PAGE_MISSING', 'No claim page is named any more, so that a link would lead nowhere.');
    const message = await claimMessage(seed, { escrow, details, asset, sender: store.funding(escrow)?.owner ?? '', pageUrl });
    return { message, recipient: details.recipient };
  }

  /** As the row is when somebody was told of it: a refund may have been signed, or the money claimed, while a mail server took its time. */
  const told = (id: string): { readonly state?: 'notified' } => (store.get(id).state === 'funded' ? { state: 'notified' } : {});

  /** Mails the link where the owner set a server for it. What goes wrong stands in the row: the money is safe, and the owner can send again. */
  async function deliver(escrow: Escrow): Promise<Escrow> {
    const settings = await mail.get();
    if (!settings || (await store.details(escrow.id)).recipient.kind !== 'email') return escrow;
    const { message, recipient } = await composed(escrow);
    // Before the mail leaves: a run that dies meanwhile must neither mail a second time by itself nor say that nothing went out.
    store.change(escrow.id, { ...(escrow.delivery === 'none' && { delivery: 'failed' }), deliveryError: CUT_SHORT });
    if (__FAILPOINTS__) failpoint('mail-sending');
    try {
      await sendMail(settings, { to: recipient.to, subject: message.subject, text: message.text, html: message.html });
      if (__FAILPOINTS__) failpoint('mail-sent');
      return changing(escrow.id, { ...told(escrow.id), delivery: 'sent', deliveryError: '' });
    } catch (error) {
      return changing(escrow.id, { deliveryError: toErrorInfo(error).message.slice(0, 500) });
    }
  }

  const follow = createFollow({ store, seed, integrity, assets: shownAssets, moves, chains, deliver, clock, log, changed });
  const { fund, quote } = createFund({ store, seed, orders, assets, networks, chains, follow, clock, claims });

  function requireClaimable(escrow: Escrow): void {
    requireMoney(escrow);
    if (escrow.expiresAt <= clock.now() || escrow.state === 'refunding') throw new BursarError('CLAIM_EXPIRED', `The escrow ${escrow.id} can no longer be claimed.`, { hint: 'The money comes back to your account.' });
  }

  async function orderTo({ tool, kind, to: given, amount, token, network, memo, byOwner, from }: SendToOrder): Promise<EscrowOrder> {
    const to = kind === 'email' ? checkEmail(given) : checkPhone(given);
    const contact = (await contacts.list()).find((one) => (kind === 'email' ? one.email.toLowerCase() === to.toLowerCase() : one.phone === to));
    const terms = { amount, token, memo, ...(network !== undefined && { network }) };
    return {
      recipient: { kind, to, name: contact?.name ?? '' },
      terms,
      tool,
      argumentsText: JSON.stringify({ [kind === 'email' ? 'email' : 'phone']: to, ...terms }),
      known: contact !== undefined,
      byOwner,
      ...(from !== undefined && { from }),
    };
  }

  const orderOf = ({ contact, ...order }: EscrowRequest): EscrowOrder => ({ ...order, recipient: { kind: 'email', to: checkEmail(contact.email), name: contact.name }, known: true });

  const send: SendByEscrow = async (request, sender) => {
    const outcome = await fund(orderOf(request), sender);
    return outcome.kind === 'sent' ? { ...outcome, escrowId: outcome.escrow.id } : outcome;
  };

  return {
    send,
    quote: async (request, client, signal) => quote(orderOf(request), client, signal),
    sendTo: async (order, sender) => fund(await orderTo(order), sender),
    quoteTo: async (order, client, signal) => quote(await orderTo(order), client, signal),
    store,
    sweep: createSweep({ store, follow, clock, log }),
    refund: (...request) => follow.refund(...request),
    async message(id) {
      const escrow = follow.syncFunding(store.get(id));
      requireClaimable(escrow);
      const { message } = await composed(escrow);
      changing(id, { ...told(id), ...(escrow.delivery !== 'sent' && { delivery: 'handed' }) });
      return message;
    },
    async resend(id) {
      const escrow = follow.syncFunding(store.get(id));
      requireClaimable(escrow);
      const { recipient } = await store.details(id);
      if (recipient.kind !== 'email') throw new BursarError('INPUT_INVALID', 'The recipient has no e-mail address here.', { hint: `Send the text message yourself: bursar escrow link ${id}` });
      if (!(await mail.get())) throw new BursarError('NOT_FOUND', 'No mail server is set.', { hint: `Set one (bursar mail set), or send the link yourself: bursar escrow link ${id}` });
      const after = await deliver(escrow);
      if (after.deliveryError !== '') throw new BursarError('MAIL_FAILED', after.deliveryError);
      return after;
    },
    claim: createClaim({ assets: shownAssets, moves, chains, networks, clock }),
  };
}

/** What stands in a row while its mail is under way, and after a crash. */
const CUT_SHORT = 'Bursar stopped while the mail was being sent: it may have gone out, or not. Ask the recipient, or mail the link again.';

function requireAsset(assets: Assets, { network, asset }: Escrow): Asset {
  const found = assets.find(network, asset);
  if (!found) throw new BursarError('ASSET_UNKNOWN', `The token ${asset} is not in the registry.`);
  return found;
}
