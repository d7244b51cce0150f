import { z } from 'zod';
import type { Asset } from '../../../core/registry/assets.ts';
import type { BaseUnits } from '../../../shared/money/money.ts';
import type { Endpoint } from './endpoint.ts';
import { addressTopic, readBlock, readEvents, readEvmBalance, readFinalizedBlock, TRANSFER } from './evm-reader.ts';
import { readFinalized, readSignatures, readTokenAmount } from './solana-reader.ts';
import { tokenAccountOf } from './token-account.ts';

/** An account that was made for one payment, which leaves it as a whole. */
export interface WatchedEscrow {
  readonly asset: Asset;
  readonly address: string;
  readonly units: BaseUnits;
  /** The account that paid. What goes there is a refund; all else was claimed. */
  readonly sender: string;
  /** When the money came, or before (ms). */
  readonly since: number;
}

/** What the chain shows of it. */
export type EscrowSight =
  | { readonly state: 'there' }
  | { readonly state: 'moved'; readonly transaction: string; readonly toSender: boolean; readonly final: boolean }
  /** It is gone, or was never there, and the server does not show where to. */
  | { readonly state: 'unclear'; readonly why: string }
  | { readonly state: 'unreachable'; readonly why: string };

/** Blocks searched at once, and how often: some days of Base's blocks. */
const SEARCH_BLOCKS = 2_000n;
const MAX_SEARCHES = 100;
const CLOCK_SLACK_S = 3_600;

/** What one RPC server says. Throws `CHAIN_UNREACHABLE`. */
export const lookAtEscrow = (endpoint: Endpoint, watched: WatchedEscrow, { confirmations }: { readonly confirmations?: number | undefined }, signal: AbortSignal): Promise<EscrowSight> =>
  watched.asset.network.startsWith('eip155:') ? onEvm(endpoint, watched, confirmations, signal) : onSolana(endpoint, watched, signal);

async function onEvm(endpoint: Endpoint, { asset, address, units, sender, since }: WatchedEscrow, confirmations: number | undefined, signal: AbortSignal): Promise<EscrowSight> {
  if ((await readEvmBalance(endpoint, asset.address, address, signal)) >= units) return { state: 'there' };
  const finalized = await readFinalizedBlock(endpoint, confirmations, signal);
  const head = await readBlock(endpoint, 'latest', signal);
  const earliest = BigInt(Math.floor(since / 1000) - CLOCK_SLACK_S);
  let to = head.number;
  for (let searches = 0; searches < MAX_SEARCHES && to >= 0n; searches += 1) {
    const from = to >= SEARCH_BLOCKS ? to - SEARCH_BLOCKS + 1n : 0n;
    const found = (await readEvents(endpoint, { address: asset.address, topics: [TRANSFER, addressTopic(address)], from, to }, signal)).findLast(({ removed, data }) => !removed && data !== '0x' && BigInt(data) === units);
    if (found) return { state: 'moved', transaction: found.transactionHash, toSender: found.topics[2] === addressTopic(sender), final: found.blockNumber <= finalized.number };
    if (from === 0n || (await readBlock(endpoint, from, signal)).timestamp < earliest) break;
    to = from - 1n;
  }
  return { state: 'unclear', why: `The RPC server ${endpoint.host} shows no money at the escrow, and no transfer from it.` };
}

const balances = z.array(z.object({ mint: z.string(), owner: z.string().optional(), uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }) })).nullish();
const landed = z.object({ meta: z.object({ preTokenBalances: balances, postTokenBalances: balances }) });

async function onSolana(endpoint: Endpoint, { asset, address, units, sender }: WatchedEscrow, signal: AbortSignal): Promise<EscrowSight> {
  const account = await tokenAccountOf(address, asset);
  if ((await readTokenAmount(endpoint, account, signal)) >= units) return { state: 'there' };
  const { slot } = await readFinalized(endpoint, signal);
  for (const { signature, err, confirmationStatus } of await readSignatures(endpoint, account, { minContextSlot: slot }, signal)) {
    if (err !== null) continue;
    const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
    const { meta } = await endpoint.ask('getTransaction', [signature, config], landed, signal);
    const gain = (owner: string): bigint => held(meta.postTokenBalances, owner, asset.address) - held(meta.preTokenBalances, owner, asset.address);
    if (gain(address) + units === 0n) return { state: 'moved', transaction: signature, toSender: gain(sender) > 0n, final: confirmationStatus === 'finalized' };
  }
  return { state: 'unclear', why: `The RPC server ${endpoint.host} shows no money at the escrow, and no transfer from it.` };
}

const held = (list: z.infer<typeof balances>, of: string, token: string): bigint =>
  (list ?? []).filter(({ mint, owner }) => mint === token && owner === of).reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
