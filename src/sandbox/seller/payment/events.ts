/** What happened in a sale. Payments appear as their rail redacts them. */
export type PaymentEvent = { readonly product: string; readonly dialect: string; readonly challenge: string } & (
  | { readonly type: 'challenge_issued' | 'challenge_not_found' | 'challenge_expired' | 'replay_refused' | 'payment_unreadable' | 'terms_not_offered' }
  | { readonly type: 'payment_received' | 'verify_started'; readonly rail: string; readonly payment: Readonly<Record<string, string>> }
  | { readonly type: 'verify_succeeded'; readonly rail: string; readonly payer: string }
  | { readonly type: 'verify_failed' | 'settle_failed' | 'wallet_limited'; readonly rail: string; readonly reason: string }
  | { readonly type: 'not_charged' | 'verified_only'; readonly rail: string }
  | { readonly type: 'settled'; readonly rail: string; readonly payer: string; readonly transaction: string }
);

/** Where events go. */
export type PaymentLog = (event: PaymentEvent) => void;

/** Keeps no events. */
export const noPaymentLog: PaymentLog = () => {};

/** One JSON line on standard error for each event. */
export const stderrPaymentLog: PaymentLog = (event) => console.error(JSON.stringify({ payment: event }));
