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
}
export type EscrowSent = Exclude<Sent, { kind: 'sent' }> | (Extract<Sent, { kind: 'sent' }> & { readonly escrowId: string });
export type SendByEscrow = (request: EscrowRequest, sender: Sender) => Promise<EscrowSent>;

/** What became of a send, and how it was made. */
export type SendOutcome =
  | { readonly type: 'direct'; readonly plan: Plan; readonly sent: Sent }
  | { readonly type: 'escrow'; readonly contact: Contact; readonly sent: EscrowSent };

export interface Sends {
  /** What a send would be and cost now, without making it. Throws as `send` does, and what `Orders.quote` does. */
  quote(request: SendRequest, client: string, signal: AbortSignal): Promise<{ readonly plan: Plan; readonly choice: Choice }>;
  /**
   * Sends, where the policy or the owner allows it. Throws, before anything was asked of anybody, `ADDRESS_INVALID`, `AMOUNT_INVALID`,
   * `NETWORK_UNSUPPORTED`, `ASSET_UNKNOWN`, `PAYEE_INVALID`, `CONTACT_UNPAYABLE`, `NOT_FOUND`, `WALLET_LOCKED`; all later refusals are outcomes.
   */
  send(request: SendRequest, sender: Sender): Promise<SendOutcome>;
}

export interface SendsPorts extends PlanPorts {
  readonly orders: Orders;
  readonly escrow?: SendByEscrow;
}

/** What agents and the owner send: to an address, or to a contact. */
export function createSends({ orders, escrow, ...ports }: SendsPorts): Sends {
  return {
    async quote(request, client, signal) {
      const plan = await planSend(request, ports);
      return { plan, choice: await orders.quote(plan.order, client, signal) };
    },
    async send(request, sender) {
      const contact = escrow && (await unreachable(request, ports));
      if (escrow && contact) {
        const { tool, to, terms, byOwner } = request;
        return { type: 'escrow', contact, sent: await escrow({ contact, terms, tool, byOwner, argumentsText: writtenAs(to, terms) }, sender) };
      }
      const plan = await planSend(request, ports);
      return { type: 'direct', plan, sent: await orders.place(plan.order, sender) };
    },
  };
}

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
