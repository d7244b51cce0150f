import type { Account } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { isBursarError } from '../../shared/errors/errors.ts';
import type { SolanaAccounts, TokenAccountFacts } from '../adapters/chain/solana-accounts.ts';
import { tokenAccountOf } from '../adapters/chain/token-account.ts';
import type { DelegationStore, StoredDelegation } from '../adapters/store/delegations.ts';

/** What somebody besides its owner may spend from a token account, as the chain shows it now. */
export interface DelegationFacts {
  readonly asset: Asset;
  readonly tokenAccount: string;
  readonly owner: string;
  readonly delegate: string;
  /** `active`: something is left. `revoked`: Bursar took it back. `ended`: used up, or taken back elsewhere. */
  readonly state: 'active' | 'revoked' | 'ended';
  /** What is left of the approval. */
  readonly remaining: bigint;
  /** What was approved, where Bursar signed it. */
  readonly approved?: bigint;
  /** What the token account holds: more than that cannot be spent, whatever is approved. */
  readonly balance: bigint;
  readonly frozen: boolean;
}

export interface ListPorts {
  readonly store: Pick<DelegationStore, 'list' | 'lastLanded'>;
  readonly accounts: () => readonly Account[];
  readonly assets: Assets;
  readonly networks: () => readonly NetworkId[];
  readonly chain: () => Pick<SolanaAccounts, 'tokenAccounts'>;
}

const RECENT = 200;
const LOOK_MS = 5_000;

/**
 * Every delegation of the wallets that this one owns, pays from, or ever approved for, on every enabled Solana network. `unreachable` names the
 * networks that did not answer.
 */
export async function listDelegations({ store, accounts, assets, networks, chain }: ListPorts): Promise<{ readonly delegations: readonly DelegationFacts[]; readonly unreachable: readonly NetworkId[] }> {
  const own = accounts().filter(({ namespace }) => namespace === 'solana');
  const owners = [...new Set([...own.flatMap(({ address, delegatedFrom = address }) => [address, delegatedFrom]), ...store.list(RECENT).map(({ owner }) => owner)])];
  const unreachable: NetworkId[] = [];
  const read = async (network: NetworkId): Promise<readonly DelegationFacts[]> => {
    const wanted = await Promise.all(
      assets.list.filter((asset) => asset.network === network).flatMap((asset) => owners.map(async (owner) => ({ asset, owner, tokenAccount: await tokenAccountOf(owner, asset) }))),
    );
    try {
      const facts = await chain().tokenAccounts(network, wanted.map(({ tokenAccount }) => tokenAccount), AbortSignal.timeout(LOOK_MS));
      return wanted.flatMap((one, at) => delegationOf(one, facts[at], store.lastLanded({ network, asset: one.asset.address, owner: one.owner })) ?? []);
    } catch (error) {
      if (!isBursarError(error, 'CHAIN_UNREACHABLE')) throw error;
      unreachable.push(network);
      return [];
    }
  };
  const found = await Promise.all(networks().filter((id) => requireNetwork(id).namespace === 'solana').map(read));
  return { delegations: found.flat(), unreachable };
}

type Wanted = Pick<DelegationFacts, 'asset' | 'owner' | 'tokenAccount'>;

function delegationOf(wanted: Wanted, facts: TokenAccountFacts | undefined, last: StoredDelegation | undefined): DelegationFacts | undefined {
  const { amount: balance = 0n, delegate = '', delegated = 0n, frozen = false } = facts ?? {};
  if (delegate !== '' && delegated > 0n) {
    // An approval that was signed elsewhere since then has nothing to do with the number that is known here.
    const isOurs = last?.kind === 'approve' && last.delegate === delegate && delegated <= last.amount;
    return { ...wanted, delegate, state: 'active', remaining: delegated, ...(isOurs && { approved: last.amount }), balance, frozen };
  }
  if (!last) return undefined;
  return { ...wanted, delegate: last.delegate, state: last.kind === 'revoke' ? 'revoked' : 'ended', remaining: 0n, ...(last.kind === 'approve' && { approved: last.amount }), balance, frozen };
}
