import type { Account } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { findNetwork, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { checkAddress } from './check-address.ts';

/** What the owner wants, as it was written. */
export interface DelegationOrder {
  /** `topUp`: `amount` is added to what is left of the approval in force. */
  readonly kind: 'approve' | 'topUp' | 'revoke';
  /** Address whose token account it is; where only one can be meant, it may be left out. */
  readonly owner?: string | undefined;
  /** Address that may spend from it. */
  readonly delegate?: string | undefined;
  /** Whole tokens; for `revoke` none. */
  readonly amount?: string | undefined;
  /** Symbol or mint; USDC without it. */
  readonly token?: string | undefined;
  /** By its CAIP-2 id or its name; without it, the one that is enabled. */
  readonly network?: string | undefined;
}

export interface Parties {
  readonly asset: Asset;
  readonly owner: string;
  /** Empty for a `revoke` that names nobody. */
  readonly delegate: string;
}

export interface PartiesPorts {
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
  /** Enabled networks. */
  readonly networks: () => readonly NetworkId[];
}

/** Who and which token an order means. Throws `NETWORK_UNSUPPORTED`, `ASSET_UNKNOWN`, `ADDRESS_INVALID`, `ACCOUNT_MISSING`, `INPUT_INVALID`. */
export function partiesOf({ kind, token = 'USDC', network, ...named }: DelegationOrder, { assets, accounts, networks }: PartiesPorts): Parties {
  const asset = requireToken(token, requireSolana(network, networks()), assets);
  const own = accounts().filter(({ namespace }) => namespace === 'solana');
  const checked = (address: string | undefined) => address && solanaAddress(address, assets);
  const delegate = checked(named.delegate) ?? (kind === 'revoke' ? '' : onlyOne(own, named.owner, 'delegate'));
  const owner = checked(named.owner) ?? own.find(({ address }) => address === delegate)?.delegatedFrom ?? onlyOne(own, delegate, 'owner');
  if (owner === delegate) throw new BursarError('INPUT_INVALID', 'The owner of the money and the delegate are the same account.', { hint: 'An account needs nobody’s approval to spend its own money.' });
  return { asset, owner, delegate };
}

/** Agents and owners name no address where there is no choice. */
function onlyOne(own: readonly Account[], other: string | undefined, what: 'owner' | 'delegate'): string {
  const others = own.filter(({ address, delegatedFrom, source }) => source !== 'watch' && address !== other && (what === 'delegate' || delegatedFrom === undefined));
  const [found] = others;
  if (!found) throw new BursarError('ACCOUNT_MISSING', `There is no Solana account that could be the ${what}.`, { hint: 'Create or import one in Bursar, or name an address.' });
  if (others.length > 1) throw new BursarError('INPUT_INVALID', `Several Solana accounts could be the ${what}.`, { hint: `Name its address (--${what}).` });
  return found.address;
}

export function requireSolana(named: string | undefined, enabled: readonly NetworkId[]): NetworkId {
  const solana = enabled.filter((id) => requireNetwork(id).namespace === 'solana');
  const names = solana.map((id) => requireNetwork(id).name).join(', ') || 'none';
  if (named === undefined) {
    const [only] = solana;
    if (only && solana.length === 1) return only;
    throw new BursarError('NETWORK_UNSUPPORTED', only ? 'Several Solana networks are enabled.' : 'No Solana network is enabled here.', { hint: only ? `Name one: ${names}.` : 'Delegations are approvals of spending on Solana.' });
  }
  const wanted = named.trim().toLowerCase();
  const found = solana.find((id) => id === named.trim() || requireNetwork(id).name.toLowerCase() === wanted);
  if (found) return found;
  const known = findNetwork(named.trim());
  throw new BursarError('NETWORK_UNSUPPORTED', `${known ? known.name : `"${named.slice(0, 60)}"`} is no Solana network that is enabled here.`, { hint: `Enabled here: ${names}.` });
}

export function requireToken(named: string, network: NetworkId, assets: Assets): Asset {
  const wanted = named.trim();
  const found = assets.list.find((asset) => asset.network === network && (asset.address === wanted || asset.symbol.toLowerCase() === wanted.toLowerCase()));
  if (!found) throw new BursarError('ASSET_UNKNOWN', `Bursar knows no token ${wanted.slice(0, 50)} on ${requireNetwork(network).name}.`, { hint: 'Nothing was signed.' });
  return found;
}

function solanaAddress(text: string, assets: Assets): string {
  const { namespace, address } = checkAddress(text, assets.list);
  if (namespace !== 'solana') throw new BursarError('ADDRESS_INVALID', `${address} is an address of an EVM network, and delegations are on Solana.`, { hint: 'Nothing was signed.' });
  return address;
}
