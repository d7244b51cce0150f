import { bytesToHex } from '@noble/hashes/utils.js';
import { VISIBLE_BEFORE_ANSWER_MS, type Approvals, type Waiting } from '../../../core/payments/approvals.ts';
import { whyNotForDays } from '../../../core/payments/may-stand.ts';
import { capLabel } from '../../../core/policy/assess.ts';
import { requireUsable } from '../../../core/policy/check-policy.ts';
import { assetsOf } from '../../../core/policy/policy-assets.ts';
import { ruleWords } from '../../../core/policy/rules.ts';
import { withServerBlocked, withToolAllowed, type ToolAllowed } from '../../../core/policy/standing-rules.ts';
import { limitOf, NO_PRICES, usdOf } from '../../../core/policy/units.ts';
import type { Clock, Journal, Keys, RandomBytes } from '../../../core/ports.ts';
import type { RuleProposal, StandingAct } from '../../../shared/contract/standing-rules.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { formatUnits, type BaseUnits } from '../../../shared/money/money.ts';
import type { Policy } from '../../../shared/policy/policy.ts';
import type { PolicyStore } from '../../adapters/store/policies.ts';
import { assetView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';
import type { SavePolicy } from '../save-policy.ts';
import { viewerOf } from '../viewer.ts';

export interface StandingRuleDeps {
  readonly approvals: Approvals;
  readonly policies: Pick<PolicyStore, 'current'>;
  readonly savePolicy: SavePolicy;
  readonly journal: Pick<Journal, 'atomically'>;
  readonly keys: Pick<Keys, 'locked'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Adds up the sums of the policy in force, after another one was asked about. */
  readonly addUp: () => void;
}

/** What is to be saved, whole. It is never built from what a page sends back. */
interface Proposed {
  readonly id: string;
  readonly paymentId: string;
  readonly kind: StandingAct['kind'];
  readonly basedOn: number;
  readonly policy: Policy;
  readonly answerableAt: number;
}

/** Connections whose last proposal is remembered. */
const MOST_REMEMBERED = 16;

type Routes = 'approvals.proposeRule' | 'approvals.saveRule';

/** The owner's answers for the next times: each is proposed in full, looked at for a second, and then saved as it was proposed. */
export function standingRuleHandlers({ approvals, policies, savePolicy, journal, keys, clock, random, addUp }: StandingRuleDeps): Pick<Handlers, Routes> {
  const proposed = new Map<string, Proposed>();

  const remember = (connection: string, proposal: Proposed): void => {
    proposed.delete(connection);
    proposed.set(connection, proposal);
    const [oldest] = proposed.keys();
    if (proposed.size > MOST_REMEMBERED && oldest !== undefined) proposed.delete(oldest);
  };

  /** What counts in the new limit today, the waiting payment with it. */
  function usedToday({ policy, cap }: ToolAllowed): BaseUnits {
    const alone: Policy = { ...policy, caps: [cap], rules: [] };
    const used = journal.atomically((tx) => tx.used(alone, 0, { at: Math.max(clock.now(), tx.highWater()), session: '' }));
    addUp();
    return used;
  }

  function allowTool(waiting: Waiting, perDay: string): Pick<RuleProposal, 'rule' | 'place' | 'cap' | 'ends'> & { readonly policy: Policy } {
    const refused = whyNotForDays(waiting);
    if (refused) throw new BursarError('INPUT_INVALID', refused);
    const { payment, assessment } = waiting;
    const inForce = policies.current().policy;
    const allowed = withToolAllowed({ policy: inForce, use: assessment.use, dialect: payment.dialect, perDay });
    const { policy, rule, place, cap, limit, replaced } = allowed;
    const assets = assetsOf(inForce);
    const asset = assets.byId(assessment.use.paid);
    if (!asset) throw new BursarError('ASSET_UNKNOWN', `The token ${assessment.use.paid} is not known.`);
    const used = usedToday(allowed);
    if (used > limit) {
      throw new BursarError('INPUT_INVALID', `This payment with what was spent or held today for this tool is ${formatUnits(used, asset.decimals, 2)} ${asset.symbol}. Give at least that.`);
    }
    const limitUsd = usdOf(asset, limit, NO_PRICES);
    return {
      policy,
      rule,
      place: place + 1,
      cap: {
        cap,
        label: capLabel(cap),
        asset: assetView(asset),
        limitUnits: limit.toString(),
        usedUnits: used.toString(),
        ...(limitUsd !== undefined && { limitUsdUnits: limitUsd.toString() }),
        ...(replaced && { replacesUnits: limitOf(replaced.amount, replaced.unit, assets).toString() }),
      },
      ends: 0,
    };
  }

  function blockServer({ payment: { upstream } }: Waiting): Pick<RuleProposal, 'rule' | 'place' | 'ends'> & { readonly policy: Policy } {
    const { policy, rule, place } = withServerBlocked(policies.current().policy, upstream);
    return { policy, rule, place: place + 1, ends: approvals.waiting().filter((waiting) => waiting.payment.upstream === upstream).length };
  }

  return {
    'approvals.proposeRule'({ act, ...request }, caller) {
      const waiting = approvals.requireWaiting(request);
      const { policy, ...change } = act.kind === 'allow-tool' ? allowTool(waiting, act.perDay) : blockServer(waiting);
      requireUsable(policy);
      const id = bytesToHex(random(16));
      const answerableAt = clock.now() + VISIBLE_BEFORE_ANSWER_MS;
      remember(caller.connection, { id, paymentId: request.paymentId, kind: act.kind, basedOn: policies.current().number, policy, answerableAt });
      return { id, kind: act.kind, ruleText: ruleWords(change.rule), rules: policy.rules.length, answerableAt, ...change };
    },

    'approvals.saveRule'({ proposal: id, kind, ...request }, caller) {
      approvals.requireShown(request, viewerOf(caller));
      const proposal = proposed.get(caller.connection);
      if (proposal?.id !== id || proposal.kind !== kind || proposal.paymentId !== request.paymentId) throw new BursarError('APPROVAL_STALE', 'This rule is no longer the one that was proposed.');
      if (clock.now() < proposal.answerableAt) throw new BursarError('APPROVAL_TOO_EARLY', 'The rule was not on screen for a full second.');
      if (kind === 'allow-tool' && keys.locked) throw new BursarError('WALLET_LOCKED', 'Bursar is locked.', { hint: 'Unlock it with your passphrase first.' });
      const { number } = savePolicy(proposal.basedOn, proposal.policy, caller);
      proposed.delete(caller.connection);
      return { number };
    },
  };
}
