import { writtenAs, type SendRequest, type SendTerms } from './send-terms.ts';
import { planSend, type Plan, type PlanPorts } from './plan-send.ts';
import type { Choice } from '../../core/payments/choose-offer.ts';
import type { Orders, Sender, Sent } from './orders.ts';
import type { Contact } from '../adapters/store/contacts.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/** A contact that has no address is paid into an account made for that one payment, which they can claim. */
export interface EscrowRequest {
  readonly contact: Contact;
  readonly terms: SendTerms;
  readonly tool: string;
  /** The order's identity, as {@link Orders} takes it. */
  readonly argumentsText: string;
  readonly byOwner: boolean;
  /** Address of the account that has to pay. */
  readonly from?: string;
}
export type EscrowSent = Exclude<Sent, { kind: 'sent' }> | (Extract<Sent, { kind: 'sent' }> & { readonly escrowId: string });
/** What a payment by escrow would be and cost now. */
export type QuoteByEscrow = (request: EscrowRequest, client: string, signal: AbortSignal) => Promise<{ readonly choice: Choice; readonly recipient: string; readonly expiresAt: number }>;
export type SendByEscrow = (request: EscrowRequest, sender: Sender) => Promise<EscrowSent>;

/** What became of a send, and how it was made. */
export type SendOutcome =
  | { readonly type: 'direct'; readonly plan: Plan; readonly sent: Sent }
  | { readonly type: 'escrow'; readonly contact: Contact; readonly sent: EscrowSent };

/** What a send would be and cost. */
export type QuotedSend =
  | { readonly type: 'direct'; readonly plan: Plan; readonly choice: Choice }
  /** The account is made when it is sent: the choice's payee is none that will be paid. */
  | { readonly type: 'escrow'; readonly contact: Contact; readonly choice: Choice; readonly recipient: string; readonly expiresAt: number };

export interface Sends {
  /** What a send would be and cost now, without making it. Throws as `send` does, and what `Orders.quote` does. */
  quote(request: SendRequest, client: string, signal: AbortSignal): Promise<QuotedSend>;
  /**
   * Sends, where the policy or the owner allows it. Throws, before anything was asked of anybody, `ADDRESS_INVALID`, `AMOUNT_INVALID`,
   * `NETWORK_UNSUPPORTED`, `ASSET_UNKNOWN`, `PAYEE_INVALID`, `CONTACT_UNPAYABLE`, `NOT_FOUND`, `WALLET_LOCKED`; all later refusals are outcomes.
   */
  send(request: SendRequest, sender: Sender): Promise<SendOutcome>;
}

export interface SendsPorts extends PlanPorts {
  readonly orders: Orders;
  readonly escrow?: { readonly send: SendByEscrow; readonly quote: QuoteByEscrow };
}

/** What agents and the owner send: to an address, or to a contact. */
export function createSends({ orders, escrow, ...ports }: SendsPorts): Sends {
  return {
    async quote(request, client, signal) {
      const contact = escrow && (await unreachable(request, ports));
      if (escrow && contact) return { type: 'escrow', contact, ...(await escrow.quote(escrowRequest(contact, request), client, signal)) };
      const plan = await planSend(request, ports);
      return { type: 'direct', plan, choice: await orders.quote(plan.order, client, signal) };
    },
    async send(request, sender) {
      const contact = escrow && (await unreachable(request, ports));
      if (escrow && contact) return { type: 'escrow', contact, sent: await escrow.send(escrowRequest(contact, request), sender) };
      const plan = await planSend(request, ports);
      return { type: 'direct', plan, sent: await orders.place(plan.order, sender) };
    },
  };
}

const escrowRequest = (contact: Contact, { tool, to, terms, byOwner, from }: SendRequest): EscrowRequest => ({ contact, terms, tool, byOwner, argumentsText: writtenAs(to, terms), ...(from !== undefined && { from }) });

/** The contact that can be paid by escrow alone: it has an e-mail address, and no address on any network that could be used. */
async function unreachable({ to, ...request }: SendRequest, ports: PlanPorts): Promise<Contact | undefined> {
  if (to.kind !== 'contact') return undefined;
  const contact = await ports.contacts.get(to.number);
  if (contact.email === '') return undefined;
  try {
    await planSend({ ...request, to }, ports);
    return undefined;
  } catch (error) {
    if (error instanceof BursarError && error.code === 'CONTACT_UNPAYABLE') return contact;
    throw error;
  }
}
