import { orderAnswer, writeOrder, type Order } from '../../core/challenges/order.ts';
import type { Outcome, PaidCall } from '../../core/payments/call.ts';
import { chooseOffer, type Choice, type ChooseOfferPorts } from '../../core/payments/choose-offer.ts';
import { demandIn } from '../../core/payments/demand-in.ts';
import type { Payments } from '../../core/payments/pay.ts';
import { argumentsHash } from '../../core/payments/terms.ts';
import type { Clock } from '../../core/ports.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { member, parseJson } from '../../core/json/json.ts';

/** Who sends, as far as a payment needs to know. */
export type Sender = Pick<PaidCall, 'client' | 'session' | 'seenIn' | 'signal' | 'progress' | 'requireMayPay'> & {
  /** When the call came (ms); now without it. */
  readonly startedAt?: number;
};

/** An order, and by which of Bursar's own tools it came. */
export interface PlacedOrder extends Order {
  /** One of `send`, `send_to_contact`, `send_to_address`, …: what rules of the owner name. */
  readonly tool: string;
  /**
   * JSON of the order as its tool would take it again. It is the order's identity: the same text again goes on with an order that is
   * under way, and never makes a second one of it (I1). Equal orders have to have equal texts.
   */
  readonly argumentsText: string;
}

/** What became of an order. */
export type Sent =
  /** The money is on its way and certain. `delivered` must be told whether whoever asked learned of it. */
  | { readonly kind: 'sent'; readonly paymentId: string; readonly transaction: string; delivered(written: boolean): void }
  | Extract<Outcome, { kind: 'pending' | 'refusal' }>;

export interface Orders {
  /** Carries out an order where the policy or the owner allows it. Throws `INTERNAL` for one without any offer; all else that goes wrong is a refusal (I9). */
  place(order: PlacedOrder, sender: Sender): Promise<Sent>;
  /** How an order would be carried out now, and what that would cost; asks nobody and holds nothing. Throws what `chooseOffer` does. */
  quote(order: PlacedOrder, client: string, signal: AbortSignal): Promise<Choice>;
}

export interface OrdersPorts extends ChooseOfferPorts {
  readonly payments: Pick<Payments, 'onAnswer'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The one way in which Bursar sends money of its own accord: by the road of every payment, with an order where others have a challenge. */
export function createOrders({ payments, clock, ...choosing }: OrdersPorts): Orders {
  return {
    async quote({ tool, argumentsText, ...order }, client, signal) {
      const challenge = demandIn({ text: '', order: writeOrder(order) }, {});
      if (!challenge) throw new BursarError('INTERNAL', 'An order was read as if it asked for nothing.');
      return chooseOffer(choosing, { challenge, call: { client, upstream: OWN_NAME, tool, argumentsHash: argumentsHash(argumentsText) } }, signal);
    },

    async place({ tool, argumentsText, ...order }, { startedAt = clock.now(), ...sender }) {
      if (order.offers.length === 0) throw new BursarError('INTERNAL', 'The order names no way to carry it out.');
      const outcome = await payments.onAnswer({
        ...sender,
        startedAt,
        upstream: OWN_NAME,
        tool,
        argumentsText,
        answer: { text: '', order: writeOrder(order) },
        // The rails of orders move the money before they answer.
        retry: async ({ meta }) => ({ text: orderAnswer(meta) }),
      });
      switch (outcome.kind) {
        case 'pass':
          throw new BursarError('INTERNAL', 'An order was read as if it asked for nothing.');
        case 'answer':
          return { kind: 'sent', paymentId: outcome.paymentId, transaction: transactionOf(outcome.responseText), delivered: outcome.delivered };
        default:
          return outcome;
      }
    },
  };
}

const transactionOf = (responseText: string): string => {
  const transaction = member(member(parseJson(responseText), 'result'), 'transaction');
  return typeof transaction === 'string' ? transaction : '';
};
