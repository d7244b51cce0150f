import { requireUsable } from '../../../core/policy/check-policy.ts';
import type { Account } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
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

type Routes = 'policy.get' | 'policy.set' | 'policy.pause' | 'policy.resume' | 'policy.simulate';

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
