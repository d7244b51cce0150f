import type { PolicyStore } from '../../adapters/store/policies.ts';
import type { Handlers } from '../router.ts';

export interface PolicyDeps {
  readonly policies: PolicyStore;
  readonly changed: () => void;
}

export const policyHandlers = ({ policies, changed }: PolicyDeps): Pick<Handlers, 'policy.get' | 'policy.set'> => ({
  'policy.get': () => policies.current(),
  'policy.set': ({ basedOn, policy }, caller) => {
    const saved = policies.save({ basedOn, policy, author: `owner, ${caller.surface}` });
    changed();
    return saved;
  },
});
