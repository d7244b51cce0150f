import { z } from 'zod';
import { Cap, Rule } from '../policy/policy.ts';
import { route } from './route.ts';
import { AssetView, DecimalText, Timestamp, UnitsText } from './values.ts';

/** The request on screen, as `approvals.decide` names it. */
const Shown = { paymentId: z.string().max(64), termsDigest: z.string().max(128), nonce: z.string().max(64) };

/**
 * What the owner may answer beside approve and reject, for the next times. `allow-tool`: the same payment is made without asking, up to
 * `perDay` (in whole tokens) each day for that tool. `block-server`: nothing is paid to that server any more.
 */
export const StandingAct = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow-tool'), perDay: DecimalText }),
  z.object({ kind: z.literal('block-server') }),
]);
export type StandingAct = z.infer<typeof StandingAct>;

/** Exactly what would be saved. */
export const RuleProposal = z.object({
  /** Names it; single use, and of the connection that asked for it. */
  id: z.string(),
  kind: z.enum(['allow-tool', 'block-server']),
  rule: Rule,
  /** The rule as it is shown later beside a payment that it decides. */
  ruleText: z.string(),
  /** Where it stands: rules are read in order, counted from 1. */
  place: z.number().int(),
  rules: z.number().int(),
  /** `allow-tool`: the limit that comes with it. */
  cap: z
    .object({
      cap: Cap,
      /** `per day, server weather, tool forecast` */
      label: z.string(),
      asset: AssetView,
      limitUnits: UnitsText,
      /** Spent or held of it today already, this payment with it. */
      usedUnits: UnitsText,
      /** In millionths of a US dollar, where a price is known. */
      limitUsdUnits: UnitsText.optional(),
      /** A looser limit that it takes the place of, in base units. */
      replacesUnits: UnitsText.optional(),
    })
    .optional(),
  /** `block-server`: how many payments to that server wait now, and end. */
  ends: z.number().int(),
  /** From when it can be saved: it has to be on screen for its second as well. */
  answerableAt: Timestamp,
});
export type RuleProposal = z.infer<typeof RuleProposal>;

export const standingRuleRoutes = {
  /** Changes nothing. Throws `APPROVAL_STALE`, `INPUT_INVALID` where such a rule cannot be made, `AMOUNT_INVALID`. */
  'approvals.proposeRule': route('decide', z.object({ ...Shown, act: StandingAct }), RuleProposal),
  /**
   * Saves what was proposed on this connection last, as a new version of the policy, and nothing else; the request goes on waiting unless the
   * rule denies it. Throws `APPROVAL_STALE` where request or policy changed meanwhile, `APPROVAL_TOO_EARLY`, `WALLET_LOCKED`.
   */
  'approvals.saveRule': route('decide', z.object({ ...Shown, proposal: z.string().max(64), kind: z.enum(['allow-tool', 'block-server']) }), z.object({ number: z.number().int() })),
} as const;
