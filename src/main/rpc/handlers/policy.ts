import { requireUsable } from '../../../core/policy/check-policy.ts';
import { loosened } from '../../../core/policy/loosened.ts';
import { withPresenceOf } from '../../../core/policy/presence.ts';
import type { Account } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { BursarError, isBursarError } from '../../../shared/errors/errors.ts';
import { allIssues, issueWords } from '../../../shared/errors/issue-words.ts';
import { Policy } from '../../../shared/policy/policy.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
import type { History } from '../../adapters/store/history.ts';
import type { PolicyStore, PolicyVersion } from '../../adapters/store/policies.ts';
import { simulatePolicy } from '../../simulate.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../router.ts';
import type { SavePolicy } from '../save-policy.ts';

export interface PolicyDeps {
  readonly policies: PolicyStore;
  readonly history: History;
  /** Every token of the past. */
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
  readonly save: SavePolicy;
}

type Routes = 'policy.review' | 'policy.versions' | 'policy.version' | 'policy.get' | 'policy.set' | 'policy.pause' | 'policy.resume' | 'policy.simulate';

export function policyHandlers({ policies, history, assets, accounts, save }: PolicyDeps): Pick<Handlers, Routes> {
  const setPaused = (paused: boolean, caller: Caller): PolicyVersion => {
    const current = policies.current();
    if (paused === (current.policy.paused ?? false)) return current;
    const { paused: _, ...rest } = current.policy;
    return save(current.number, paused ? { ...rest, paused } : rest, caller);
  };
  return {
    'policy.get': () => policies.current(),
    'policy.set'({ basedOn, policy }, caller) {
      requireUsable(policy);
      return save(basedOn, withPresenceOf(policies.current().policy, policy), caller);
    },
    'policy.review'({ policy }) {
      const { number, policy: inForce } = policies.current();
      const parsed = Policy.safeParse(policy, { error: issueWords });
      if (!parsed.success) return { problems: allIssues(parsed.error).map(({ field, words }) => ({ field, words })), loosens: [], against: number };
      const problem = unusable(parsed.data);
      return problem ? { problems: [problem], loosens: [], against: number } : { problems: [], loosens: loosened(inForce, parsed.data).map((words) => cleanText(words)), against: number };
    },
    'policy.versions'({ before, limit }) {
      const found = policies.page({ limit: limit + 1, ...(before !== undefined && { before }) });
      const versions = found.slice(0, limit).map(({ number, savedAt, author, policy }) => ({ number, savedAt, author, caps: policy.caps.length, rules: policy.rules.length, paused: policy.paused ?? false }));
      return { versions, more: found.length > limit };
    },
    'policy.version'({ number }) {
      const found = policies.find(number);
      if (!found) throw new BursarError('NOT_FOUND', `There is no version ${number} of the policy.`);
      return found;
    },
    'policy.pause': (_input, caller) => setPaused(true, caller),
    'policy.resume': (_input, caller) => setPaused(false, caller),
    'policy.simulate'({ policy, limit }) {
      requireUsable(policy);
      return simulatePolicy(policy, history.replay(limit), { assets, accounts: accounts() });
    },
  };
}

/** Why a policy of the right form would not do what it says. */
function unusable(policy: Policy): { readonly field: string; readonly words: string } | undefined {
  try {
    requireUsable(policy);
    return undefined;
  } catch (error) {
    if (!isBursarError(error, 'INPUT_INVALID')) throw error;
    return { field: error.context['place'] ?? '', words: error.context['why'] ?? error.message };
  }
}
