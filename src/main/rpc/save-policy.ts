import type { Approvals } from '../../core/payments/approvals.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import type { PolicyStore, PolicyVersion } from '../adapters/store/policies.ts';
import type { Caller } from './caller.ts';

export interface SavePolicyDeps {
  readonly policies: Pick<PolicyStore, 'save'>;
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  /** Adds up the sums of the policy in force, so that the next payment need not. */
  readonly addUp: () => void;
  /** Ends what waits for the owner and is denied by the policy in force. */
  readonly reassess: () => void;
  readonly changed: () => void;
}

/** Puts a policy in force on top of the version that it was made from. Throws `APPROVAL_STALE`. */
export type SavePolicy = (basedOn: number, policy: Policy, caller: Caller) => PolicyVersion;

export const createSavePolicy =
  ({ policies, approvals, addUp, reassess, changed }: SavePolicyDeps): SavePolicy =>
  (basedOn, policy, caller) => {
    const saved = policies.save({ basedOn, policy, author: `owner, ${caller.surface}` });
    if (saved.policy.paused) approvals.cancelAll();
    addUp();
    reassess();
    changed();
    return saved;
  };
