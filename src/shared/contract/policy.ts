import { z } from 'zod';
import { Policy, Verdict } from '../policy/policy.ts';
import { route } from './route.ts';
import { Empty, MoneyView, Timestamp } from './values.ts';

export const PolicyVersionView = z.object({ number: z.number().int(), savedAt: Timestamp, author: z.string(), policy: Policy });
export type PolicyVersionView = z.infer<typeof PolicyVersionView>;

/** What a policy would have said of one payment of the past. */
export const SimulatedPayment = z.object({
  id: z.string(),
  createdAt: Timestamp,
  client: z.string(),
  upstream: z.string(),
  tool: z.string(),
  money: MoneyView,
  verdict: Verdict,
  /** The rule or cap that would have decided, in words. */
  rule: z.string(),
  /** What was decided then. */
  decision: z.string(),
});
export type SimulatedPayment = z.infer<typeof SimulatedPayment>;

export const Simulation = z.object({
  /** Payments looked at, oldest first: the newest ones of the ledger, as many as were asked for. */
  payments: z.array(SimulatedPayment),
  counts: z.object({ allow: z.number().int(), ask: z.number().int(), deny: z.number().int() }),
  /** What of the past is not known, so that the policy could have been stricter; a sentence each. */
  notReplayed: z.array(z.string()),
});
export type Simulation = z.infer<typeof Simulation>;

/** One saved version, without what it says. */
export const PolicyVersionEntry = z.object({ number: z.number().int(), savedAt: Timestamp, author: z.string(), caps: z.number().int(), rules: z.number().int(), paused: z.boolean() });
export type PolicyVersionEntry = z.infer<typeof PolicyVersionEntry>;

/** What is wrong with a policy, or what it lets through that the one in force holds back. */
export const PolicyReview = z.object({
  /** By place in the policy: `caps[0].amount`; empty for the whole. None where it can be saved. */
  problems: z.array(z.object({ field: z.string(), words: z.string() })),
  /** A sentence each; none where it is nowhere looser. */
  loosens: z.array(z.string()),
  /** The version that it was compared with. */
  against: z.number().int(),
});
export type PolicyReview = z.infer<typeof PolicyReview>;

export const policyRoutes = {
  'policy.get': route('read', Empty, PolicyVersionView),
  /**
   * Stores a new version. `basedOn` is the number that the editor started from; a newer one throws `APPROVAL_STALE`. A cap or rule in a token
   * that is not in the registry throws `INPUT_INVALID`. One that pauses cancels what waits.
   */
  'policy.set': route('owner', z.object({ basedOn: z.number().int(), policy: Policy }), PolicyVersionView),
  /** Stops every new payment and cancels what waits for the owner. Money that is signed already is not called back. */
  'policy.pause': route('owner', Empty, PolicyVersionView),
  'policy.resume': route('owner', Empty, PolicyVersionView),
  /** Looks at a policy that is not saved, malformed ones included. Changes nothing. */
  'policy.review': route('read', z.object({ policy: z.unknown() }), PolicyReview),
  /** Newest first; `before` is the number of the last one of the page before. */
  'policy.versions': route('read', z.object({ before: z.number().int().min(1).optional(), limit: z.number().int().min(1).max(100).default(20) }), z.object({ versions: z.array(PolicyVersionEntry), more: z.boolean() })),
  /** One saved version. Throws `NOT_FOUND`. */
  'policy.version': route('read', z.object({ number: z.number().int().min(1) }), PolicyVersionView),
  /** What a policy would have said of the past. Reads only. Throws `INPUT_INVALID`. */
  'policy.simulate': route('read', z.object({ policy: Policy, limit: z.number().int().min(1).max(20_000).default(2000) }), Simulation),
} as const;
