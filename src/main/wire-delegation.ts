import type { Account, Clock, Integrity, Keys, Log, RandomBytes } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { NetworkId } from '../core/registry/networks.ts';
import type { Scope } from '../shared/access/scopes.ts';
import type { Chains } from './adapters/chain/chains.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { Db } from './adapters/store/database.ts';
import { createDelegationStore } from './adapters/store/delegations.ts';
import { createRequestStore } from './adapters/store/requests.ts';
import { delegationHandlers } from './rpc/handlers/delegations.ts';
import { requestHandlers } from './rpc/handlers/requests.ts';
import { createAnswers } from './wallet/answer-request.ts';
import { createDelegations } from './wallet/delegations.ts';
import { externalDelegation } from './wallet/external-delegation.ts';
import { listDelegations } from './wallet/list-delegations.ts';
import { createRequests } from './wallet/requests.ts';
import { createDelegationTools } from './wallet-tools/delegation-tools.ts';

export interface DelegationWirePorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The keys as payments have them: locked while nothing may be signed. */
  readonly keys: Keys;
  readonly wallet: Pick<Wallet, 'deriveAccount' | 'payFrom'>;
  readonly integrity: Pick<Integrity, 'requireSound' | 'mayRecord'>;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  readonly chains: () => Chains;
  /** Where a command-line wallet has to send to, on a network that goes by another's name. */
  readonly rpcUrl: (network: NetworkId) => string | undefined;
  /** The tokens that may be paid now; and those that any payment of the past was made in. */
  readonly assets: Assets;
  readonly shownAssets: Assets;
  readonly scopesOf: (client: string) => readonly Scope[];
  readonly changed: (what: 'delegations' | 'requests' | 'accounts') => void;
  readonly log: Log;
}

const LOOK_MS = 10_000;

/** Spending limits that Solana enforces, and what agents ask the owner for: routes, tools, and what has to go on after a start. */
export function wireDelegation({ db, clock, random, keys, wallet, integrity, chains, rpcUrl, assets, shownAssets, scopesOf, changed, log }: DelegationWirePorts) {
  const store = createDelegationStore(db, clock);
  const requestStore = createRequestStore(db);
  const accounts = (): readonly Account[] => keys.accounts();
  const networks = () => chains().networks();
  const delegations = createDelegations({
    store,
    keys,
    integrity,
    chains,
    assets,
    clock,
    random,
    log,
    payFrom(accountId, owner) {
      wallet.payFrom(accountId, owner);
      changed('accounts');
    },
    changed: () => changed('delegations'),
  });
  const requests = createRequests({ store: requestStore, scopesOf, clock, random, changed: () => changed('requests') });
  const list = () => listDelegations({ store, accounts, assets, networks, chain: () => chains().solanaAccounts });
  const answers = createAnswers({
    requests,
    delegations,
    signed: (act) => store.get(act),
    async makeAccount(label) {
      const account = await wallet.deriveAccount({ namespace: 'solana', label });
      changed('accounts');
      return account;
    },
  });
  return {
    tools: createDelegationTools({ requests, list, accounts, agentAccounts: () => requestStore.accounts(), assets, networks }),
    handlers: {
      ...delegationHandlers({
        delegations,
        list,
        external: async (draft) => {
          const { network } = draft.terms;
          return externalDelegation(draft, { lifetime: await chains().latestBlockhash(network, AbortSignal.timeout(LOOK_MS)), rpcUrl: rpcUrl(network) });
        },
        store,
        assets: shownAssets,
        accounts,
      }),
      ...requestHandlers({ requests, answers, assets: shownAssets }),
    },
    quoted: (act: string) => delegations.quoted(act),
    /** How many acts on a network are not final. */
    underWay: (network: string) => store.open().filter((act) => act.network === network).length,
    recover: () => delegations.recover(),
    stop: () => delegations.stop(),
  };
}
