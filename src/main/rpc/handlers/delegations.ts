import type { Account } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { requireNetwork, type NetworkId } from '../../../core/registry/networks.ts';
import type { DelegationStore } from '../../adapters/store/delegations.ts';
import type { Delegations } from '../../wallet/delegations.ts';
import type { ExternalDelegation } from '../../wallet/external-delegation.ts';
import type { Draft } from '../../wallet/delegation-quote.ts';
import type { DelegationFacts } from '../../wallet/list-delegations.ts';
import { actView, delegationView, draftView, quoteView } from '../delegation-views.ts';
import type { Handlers } from '../router.ts';

export interface DelegationDeps {
  readonly delegations: Delegations;
  readonly list: () => Promise<{ readonly delegations: readonly DelegationFacts[]; readonly unreachable: readonly NetworkId[] }>;
  readonly external: (draft: Draft) => Promise<ExternalDelegation>;
  readonly store: Pick<DelegationStore, 'list'>;
  /** Every token that a row was ever made with. */
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
}

type Routes = 'delegations.list' | 'delegations.quote' | 'delegations.approve' | 'delegations.topUp' | 'delegations.revoke' | 'delegations.external';

const SHOWN = 50;

export const delegationHandlers = ({ delegations, list, external, store, assets, accounts }: DelegationDeps): Pick<Handlers, Routes> => ({
  'delegations.list': async () => {
    const found = await list();
    return {
      delegations: found.delegations.map((facts) => delegationView(facts, accounts())),
      acts: store.list(SHOWN).map((stored) => actView(stored, assets)),
      unreachable: found.unreachable.map((network) => requireNetwork(network).name),
    };
  },
  'delegations.quote': async (order) => quoteView(await delegations.quote(order), accounts()),
  'delegations.approve': async ({ act }) => actView(await delegations.perform('approve', act), assets),
  'delegations.topUp': async ({ act }) => actView(await delegations.perform('topUp', act), assets),
  'delegations.revoke': async ({ act }) => actView(await delegations.perform('revoke', act), assets),
  'delegations.external': async (order) => {
    const draft = await delegations.draft(order);
    const { transaction, description, command, steps } = await external(draft);
    return { ...draftView(draft, accounts()), transaction, description: [...description], command, steps: [...steps] };
  },
});
