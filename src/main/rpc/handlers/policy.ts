import type { Approvals } from '../../../core/payments/approvals.ts';
import { requireUsable } from '../../../core/policy/check-policy.ts';
import type { Account } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import type { Policy } from '../../../shared/policy/policy.ts';
import type { History } from '../../adapters/store/history.ts';
import type { PolicyStore, PolicyVersion } from '../../adapters/store/policies.ts';
import { simulatePolicy } from '../../simulate.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../router.ts';

export interface PolicyDeps {
  readonly policies: PolicyStore;
  readonly history: History;
  /** Every token of the past. */
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  /** Adds up the sums of the policy in force, so that the next payment need not. */
  readonly addUp: () => void;
  /** Ends what waits for the owner and is denied by the policy in force. */
  readonly reassess: () => void;
  readonly changed: () => void;
}

type Routes = 'policy.get' | 'policy.set' | 'policy.pause' | 'policy.resume' | 'policy.simulate';

export function policyHandlers({ policies, history, assets, accounts, approvals, addUp, reassess, changed }: PolicyDeps): Pick<Handlers, Routes> {
  const save = (basedOn: number, policy: Policy, caller: Caller): PolicyVersion => {
    const saved = policies.save({ basedOn, policy, author: `owner, ${caller.surface}` });
    if (saved.policy.paused) approvals.cancelAll();
    addUp();
    reassess();
    changed();
    return saved;
  };
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
      return save(basedOn, policy, caller);
    },
    'policy.pause': (_input, caller) => setPaused(true, caller),
    'policy.resume': (_input, caller) => setPaused(false, caller),
    'policy.simulate'({ policy, limit }) {
      requireUsable(policy);
      return simulatePolicy(policy, history.replay(limit), { assets, accounts: accounts() });
    },
  };
}
