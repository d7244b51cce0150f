import { z } from 'zod';
import { DecimalText, UpstreamName } from '../contract/values.ts';

/** What a cap or rule looks at. A member left out matches everything. */
export const Scope = z.strictObject({
  upstream: UpstreamName.optional(),
});
export type Scope = z.infer<typeof Scope>;

/**
 * A limit on what may be spent. `call` limits one payment; `day` the sum of a calendar day in the policy's time zone, where settled,
 * outstanding and reserved money all count. Counted in US dollars; stable coins of the registry count 1:1.
 */
export const Cap = z.strictObject({
  over: Scope.default({}),
  window: z.enum(['call', 'day']),
  unit: z.literal('USD'),
  amount: DecimalText.refine((text) => (text.split('.')[1]?.length ?? 0) <= 6, 'at most 6 decimal places'),
});
export type Cap = z.infer<typeof Cap>;

export const Verdict = z.enum(['allow', 'ask', 'deny']);
export type Verdict = z.infer<typeof Verdict>;

/** Rules are read in order and the first that matches decides. */
export const Rule = z.strictObject({
  when: Scope,
  verdict: Verdict,
  /** The owner's words for it; pages, history and agent show them. */
  note: z.string().max(200).optional(),
});
export type Rule = z.infer<typeof Rule>;

/** The owner's policy. Caps are checked first and always hold; a rule decides what happens below them. */
export const Policy = z.strictObject({
  version: z.literal(1),
  /** IANA name; day boundaries follow it. */
  timeZone: z.string().refine(isTimeZone, 'is not a known time zone'),
  caps: z.array(Cap).max(200),
  rules: z.array(Rule).max(500),
  otherwise: Verdict,
});
export type Policy = z.infer<typeof Policy>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The policy of a new data folder: ask for everything, at most 1.00 a call and 10.00 a day. */
export const defaultPolicy = (timeZone: string): Policy => ({
  version: 1,
  timeZone,
  caps: [
    { over: {}, window: 'call', unit: 'USD', amount: '1.00' },
    { over: {}, window: 'day', unit: 'USD', amount: '10.00' },
  ],
  rules: [],
  otherwise: 'ask',
});
