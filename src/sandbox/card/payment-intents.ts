import { randomBytes } from 'node:crypto';

/** A payment intent as Stripe's API shows it, as far as cards need it. */
export interface PaymentIntent {
  readonly id: string;
  readonly object: 'payment_intent';
  readonly client_secret: string;
  readonly amount: number;
  readonly amount_capturable: number;
  readonly amount_received: number;
  readonly currency: string;
  readonly capture_method: 'automatic' | 'manual';
  readonly status: 'requires_payment_method' | 'requires_action' | 'requires_capture' | 'succeeded' | 'canceled';
  readonly payment_method: string | null;
  readonly description: string | null;
  readonly created: number;
  readonly livemode: false;
  readonly last_payment_error: { readonly code: string; readonly decline_code?: string; readonly message: string } | null;
}

/** What Stripe's API says when it refuses. */
export class CardError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: 'card_error' | 'invalid_request_error';
  constructor(status: number, type: CardError['type'], code: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
    this.code = code;
  }
}

/** Stripe's test cards that this service knows, and what becomes of them. */
const TEST_CARDS: Readonly<Record<string, 'good' | 'declined' | 'no-money' | 'asks-bank'>> = {
  pm_card_visa: 'good',
  pm_card_mastercard: 'good',
  pm_card_chargeDeclined: 'declined',
  pm_card_chargeDeclinedInsufficientFunds: 'no-money',
  pm_card_authenticationRequired: 'asks-bank',
};

/** The payment intents of one merchant, and what a card holder was charged. */
export interface PaymentIntents {
  create(options: { readonly amount: number; readonly currency: string; readonly manual: boolean; readonly description: string | null }): PaymentIntent;
  /** Throws {@link CardError} where there is none. */
  get(id: string): PaymentIntent;
  confirm(id: string, paymentMethod: string): PaymentIntent;
  capture(id: string): PaymentIntent;
  cancel(id: string): PaymentIntent;
  /** Cents captured so far. */
  captured(): number;
}

/** An empty register. */
export function createPaymentIntents(now: () => number): PaymentIntents {
  const intents = new Map<string, PaymentIntent>();
  const get = (id: string): PaymentIntent => {
    const intent = intents.get(id);
    if (!intent) throw new CardError(404, 'invalid_request_error', 'resource_missing', `No such payment_intent: '${id}'`);
    return intent;
  };
  const change = (intent: PaymentIntent, changes: Partial<PaymentIntent>): PaymentIntent => {
    const changed = { ...intent, ...changes };
    intents.set(intent.id, changed);
    return changed;
  };
  const unexpected = ({ status }: PaymentIntent, action: string) =>
    new CardError(400, 'invalid_request_error', 'payment_intent_unexpected_state', `You cannot ${action} this PaymentIntent because it has a status of ${status}.`);

  return {
    create: ({ amount, currency, manual, description }) => {
      if (!Number.isSafeInteger(amount) || amount < 50) throw new CardError(400, 'invalid_request_error', 'amount_too_small', 'Amount must be at least 50 cents.');
      const id = `pi_${randomBytes(12).toString('hex')}`;
      const intent: PaymentIntent = {
        id,
        object: 'payment_intent',
        client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
        amount,
        amount_capturable: 0,
        amount_received: 0,
        currency,
        capture_method: manual ? 'manual' : 'automatic',
        status: 'requires_payment_method',
        payment_method: null,
        description,
        created: Math.floor(now() / 1000),
        livemode: false,
        last_payment_error: null,
      };
      intents.set(id, intent);
      return intent;
    },
    get,
    confirm: (id, paymentMethod) => {
      const intent = get(id);
      if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action') throw unexpected(intent, 'confirm');
      const fate = TEST_CARDS[paymentMethod];
      if (!fate) throw new CardError(404, 'invalid_request_error', 'resource_missing', `No such PaymentMethod: '${paymentMethod}'`);
      if (fate === 'asks-bank') return change(intent, { status: 'requires_action', payment_method: paymentMethod });
      if (fate !== 'good') {
        const decline_code = fate === 'no-money' ? 'insufficient_funds' : 'generic_decline';
        const message = fate === 'no-money' ? 'Your card has insufficient funds.' : 'Your card was declined.';
        change(intent, { last_payment_error: { code: 'card_declined', decline_code, message } });
        throw new CardError(402, 'card_error', 'card_declined', message);
      }
      return intent.capture_method === 'manual'
        ? change(intent, { status: 'requires_capture', payment_method: paymentMethod, amount_capturable: intent.amount, last_payment_error: null })
        : change(intent, { status: 'succeeded', payment_method: paymentMethod, amount_received: intent.amount, last_payment_error: null });
    },
    capture: (id) => {
      const intent = get(id);
      if (intent.status !== 'requires_capture') throw unexpected(intent, 'capture');
      return change(intent, { status: 'succeeded', amount_capturable: 0, amount_received: intent.amount });
    },
    cancel: (id) => {
      const intent = get(id);
      if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpected(intent, 'cancel');
      return change(intent, { status: 'canceled', amount_capturable: 0 });
    },
    captured: () => [...intents.values()].reduce((sum, { amount_received }) => sum + amount_received, 0),
  };
}
