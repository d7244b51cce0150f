import { z } from 'zod';
import { route } from './route.ts';
import { MoneyView, Timestamp } from './values.ts';

/** The three columns of a payment (design, "Payment life cycle"). */
export const Decision = z.enum(['waiting', 'approved', 'denied', 'rejected', 'expired', 'cancelled']);
export const MoneyState = z.enum(['none', 'reserved', 'outstanding', 'settled', 'dead']);
export const Service = z.enum(['open', 'delivered', 'refused', 'lost']);
export type Decision = z.infer<typeof Decision>;
export type MoneyState = z.infer<typeof MoneyState>;
export type Service = z.infer<typeof Service>;

/** What people see: a pure function of the three columns. */
export const PaymentStatus = z.enum([
  'waiting', // for the owner
  'approved', // and not paid yet: the agent has to call again
  'paying', // signed; answer not there yet
  'delivered', // answer given; settlement seen on chain or not yet due
  'confirming', // answer given; the chain does not show the money yet
  'not-charged', // answer given, and the money can no longer move
  'undelivered', // money moved, no answer
  'unknown', // no answer; the money may still move
  'denied',
  'rejected',
  'expired',
  'cancelled',
  'failed', // no answer, and the money did not and cannot move
]);
export type PaymentStatus = z.infer<typeof PaymentStatus>;

export const PaymentView = z.object({
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  client: z.string(),
  upstream: z.string(),
  tool: z.string(),
  dialect: z.string(),
  scheme: z.string(),
  /** Absent when the challenge could not be read that far. */
  money: MoneyView.optional(),
  payee: z.string(),
  payer: z.string(),
  status: PaymentStatus,
  columns: z.object({ decision: Decision, money: MoneyState, service: Service }),
  /** Why it is in this state, in a sentence; empty while nothing needs saying. */
  reason: z.string(),
  reasonCode: z.string(),
  /** Transaction id as the chain shows it, once known. */
  transaction: z.string(),
  /** The rule or default that decided, in words. */
  rule: z.string(),
});
export type PaymentView = z.infer<typeof PaymentView>;

export const SpendView = z.object({
  /** What the caps are counted in. */
  unit: z.literal('USD'),
  /** Settled, outstanding and reserved of today, in millionths of the unit. */
  todayUnits: z.string(),
  /** Cap over everything per day, if there is one. */
  dayCapUnits: z.string().optional(),
  byUpstream: z.array(z.object({ upstream: z.string(), todayUnits: z.string(), dayCapUnits: z.string().optional() })),
});
export type SpendView = z.infer<typeof SpendView>;

export const paymentRoutes = {
  /** Newest first. `before` is the `id` of the last row of the page before. */
  'payments.list': route(
    'read',
    z.object({ before: z.string().max(64).optional(), limit: z.number().int().min(1).max(500).default(50) }),
    z.object({ payments: z.array(PaymentView), more: z.boolean() }),
  ),
  'payments.spend': route('read', z.object({}), SpendView),
} as const;
