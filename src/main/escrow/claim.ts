import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { findNetwork, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { readClaimLink } from '../../shared/escrow/claim-link.ts';
import { parseBaseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import { SPL_TOKEN, TOKEN_2022 } from '../../core/registry/solana-tokens.ts';
import { addressWarnings, checkAddress } from '../wallet/check-address.ts';
import { linkKeys } from './escrow-keys.ts';
import type { Move, Moves } from './moves.ts';

/** How often, and how far apart, the chain is asked who was faster. */
const LOOKS = 4;
const LOOK_EVERY_MS = 1_000;

export interface ClaimPorts {
  readonly assets: Assets;
  readonly moves: Moves;
  readonly chains: () => Pick<Chains, 'observeEscrow' | 'solanaAccounts'>;
  readonly networks: () => readonly NetworkId[];
  readonly clock: Pick<Clock, 'now'>;
}

export interface ClaimedMoney {
  readonly asset: Asset;
  readonly units: BaseUnits;
  readonly to: string;
  readonly transaction: string;
}

/**
 * Claims what a link holds, for a recipient who runs Bursar. Nothing of the link is kept or logged: should the process die, the same link
 * claims again, and the chain lets the money leave once. Throws `CLAIM_LINK_INVALID`, `CLAIM_EXPIRED`, `CLAIM_GONE`, `ADDRESS_INVALID`,
 * `NETWORK_UNSUPPORTED`, and what settling throws.
 */
export const createClaim =
  ({ assets, moves, chains, networks, clock }: ClaimPorts) =>
  async (linkText: string, toText: string, signal: AbortSignal): Promise<ClaimedMoney> => {
    const link = readClaimLink(linkText);
    const network = findNetwork(link.network);
    if (!network) throw new BursarError('CLAIM_LINK_INVALID', 'The claim link is for a network that this program does not know.');
    if (!networks().includes(network.id)) throw new BursarError('NETWORK_UNSUPPORTED', `The money lies on ${network.name}, which is not enabled here.`, { hint: 'Nothing was moved.' });
    const namespace = network.id.startsWith('eip155:') ? 'eip155' : 'solana';
    // The registry's own token, and not what the link says of it.
    const asset = assets.find(network.id, link.token.address);
    if (!asset) throw new BursarError('ASSET_UNKNOWN', `Bursar does not know the token ${link.token.address} on ${network.name}.`, { hint: 'Nothing was moved.' });
    const to = checkAddress(toText, assets.list);
    if (to.namespace !== namespace) throw new BursarError('ADDRESS_INVALID', `${to.address} is an address of another kind of network than ${requireNetwork(network.id).name}.`);
    const keys = linkKeys(namespace, link.secret);
    if (to.address === keys.account.address) throw new BursarError('ADDRESS_INVALID', `${to.address} is the escrow itself.`);
    // A recipient is asked nothing here that they could still say no to.
    const [warning] = addressWarnings(to, []);
    if (warning !== undefined) throw new BursarError('ADDRESS_INVALID', `Nothing is claimed to ${to.address}: ${warning}.`, { hint: 'Nothing was moved. Give the address of your wallet itself.' });
    if (clock.now() >= link.expiresAt) throw new BursarError('CLAIM_EXPIRED', `The link worked until ${new Date(link.expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`);

    const units = parseBaseUnits(link.units);
    const move: Move = { asset, units, account: keys.account, to: to.address, purpose: 'claim' };
    const sight = () => chains().observeEscrow({ asset, address: keys.account.address, units, sender: link.sender, since: link.expiresAt - 366 * 86_400_000 }, signal);
    requireThere(await sight());
    if (namespace === 'solana') await requireNoTokenAccount(chains().solanaAccounts, { network: network.id, to: to.address }, signal);
    const { track } = await moves.sign(move, keys, { notAfter: link.expiresAt }, signal).catch(async (error: unknown) => {
      // Another one with the same link, or a refund, may be faster: then that is why.
      for (let looks = 0; looks < LOOKS && !signal.aborted; looks += 1) {
        requireThere(await sight());
        await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
      }
      throw error;
    });
    const seen = await moves.submit(move, track, signal);
    if (seen.state === 'settled') return { asset, units, to: to.address, transaction: seen.transaction };
    requireThere(await sight());
    throw new BursarError('SETTLEMENT_FAILED', `The money was not moved: ${seen.why}`, { hint: 'Try again in some minutes.' });
  };

async function requireNoTokenAccount(accounts: Chains['solanaAccounts'], { network, to }: { readonly network: NetworkId; readonly to: string }, signal: AbortSignal): Promise<void> {
  const program = await accounts.programOf(network, to, signal);
  if (program !== SPL_TOKEN && program !== TOKEN_2022) return;
  throw new BursarError('ADDRESS_INVALID', `${to} is a token account and no wallet: what is sent there is lost.`, { hint: 'Nothing was moved. Give the address of your wallet itself.' });
}

function requireThere(sight: Awaited<ReturnType<Chains['observeEscrow']>>): void {
  if (sight.state === 'unreachable') throw new BursarError('CHAIN_UNREACHABLE', sight.why);
  if (sight.state === 'moved') throw new BursarError('CLAIM_GONE', sight.toSender ? 'The sender took the money back already.' : `The money was claimed already, by the transaction ${sight.transaction}.`);
  if (sight.state === 'unclear') throw new BursarError('CLAIM_GONE', 'There is no money at the end of this link: it was claimed already, taken back, or never came.');
}
