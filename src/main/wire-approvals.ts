import type { Approvals } from '../core/payments/approvals.ts';
import type { Account, Clock, Journal, Keys, RandomBytes } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { ContactStore } from './adapters/store/contacts.ts';
import type { History } from './adapters/store/history.ts';
import type { PolicyStore } from './adapters/store/policies.ts';
import { approvalHandlers } from './rpc/handlers/approvals.ts';
import { policyHandlers } from './rpc/handlers/policy.ts';
import { standingRuleHandlers } from './rpc/handlers/standing-rules.ts';
import type { SavePolicy } from './rpc/save-policy.ts';
import { upstreamAddress, type Upstreams } from './upstreams.ts';

export interface ApprovalWiring {
  readonly approvals: Approvals;
  readonly savePolicy: SavePolicy;
  readonly policies: PolicyStore;
  readonly history: History;
  readonly journal: Journal;
  readonly contacts: Pick<ContactStore, 'list'>;
  readonly upstreams: Pick<Upstreams, 'find'>;
  readonly keys: Keys;
  /** Every account, also hidden ones. */
  readonly accounts: () => readonly Account[];
  readonly shownAssets: Assets;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly addUp: () => void;
}

/** What the owner answers, and the policy behind it. */
export function wireApprovals({ approvals, savePolicy, policies, history, journal, contacts, upstreams, keys, accounts, shownAssets: assets, clock, random, addUp }: ApprovalWiring) {
  return {
    ...approvalHandlers({
      approvals,
      keys,
      assets,
      journal,
      contacts,
      upstreamAddress(name) {
        const found = upstreams.find(name);
        return found ? upstreamAddress(found.transport) : '';
      },
    }),
    ...standingRuleHandlers({ approvals, policies, savePolicy, journal, keys, clock, random, addUp }),
    ...policyHandlers({ policies, history, assets, accounts, save: savePolicy }),
  };
}
