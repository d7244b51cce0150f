import { z } from 'zod';
import type { Terms } from '../../../core/payments/terms.ts';
import type { Observation, Track } from '../../../core/ports.ts';
import type { Endpoint } from './endpoint.ts';
import {
  addressTopic,
  AUTHORIZATION_CANCELED,
  AUTHORIZATION_USED,
  readAuthorizationState,
  readBlock,
  readEvents,
  readFinalizedBlock,
  readReceipt,
  TRANSFER,
  type EvmBlock,
  type EvmEvent,
  type FoundEvmEvent,
} from './evm-reader.ts';
import { readTrack } from './track.ts';

/** How far a look searches for events: blocks at once, as public RPC servers allow, and searches in all, some days of Base's blocks. */
export interface SearchLimits {
  readonly blocks: bigint;
  readonly searches: number;
}
export interface LookOptions {
  readonly limits?: SearchLimits;
  /** Blocks after which nothing changes any more, where the network has no finalized block of its own. */
  readonly confirmations?: number | undefined;
}
const SEARCH_LIMITS: SearchLimits = { blocks: 2_000n, searches: 100 };
/** Our clock may be ahead of the chain's by this much (s) before a settlement is searched for too late. */
const CLOCK_SLACK_S = 3_600n;

const shape = z.object({
  kind: z.literal('eip3009'),
  nonce: z.string().regex(/^0x[0-9a-f]{64}$/),
  validBefore: z.coerce.bigint().positive(),
  signedAt: z.coerce.bigint().positive(),
});

interface Sought extends z.infer<typeof shape> {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

/**
 * What one RPC server says of an EIP-3009 authorization (I5). Settled: the token's `AuthorizationUsed` with our nonce and the matching
 * `Transfer`, in one transaction. Dead: unused in the head's state while the *finalized* block is past `validBefore`, or cancelled for
 * good, or its nonce used for good by another transfer; never by our clock. Throws `CHAIN_UNREACHABLE`.
 */
export async function lookAtEip3009(endpoint: Endpoint, terms: Terms, track: Track, signal: AbortSignal, options: LookOptions = {}): Promise<Observation> {
  const { limits = SEARCH_LIMITS, confirmations } = options;
  const sought: Sought = { ...readTrack(shape, track), token: terms.asset, from: terms.payer, to: terms.payee, value: terms.amount };
  // Finalized first, so that the head which is asked afterwards is not older.
  const finalized = await readFinalizedBlock(endpoint, confirmations, signal);
  const head = await readBlock(endpoint, 'latest', signal);
  if (head.number < finalized.number) return { state: 'open', why: `The RPC server ${endpoint.host} lags behind.` };

  // By number, and not "latest": a server behind a balancer that lags must fail here instead of answering from an older state.
  // Once set the state stays set, so unset at the head means unset at the finalized block, whose own state a server may have dropped.
  if (!(await readAuthorizationState(endpoint, sought, head.number, signal))) {
    if (finalized.timestamp >= sought.validBefore) return { state: 'dead', why: 'The authorization expired unused.' };
    return { state: 'open', why: 'The server has not collected the money yet.' };
  }
  const event = await findEvent(endpoint, { sought, head, limits }, signal);
  if (!event) return { state: 'open', why: `The authorization was used or cancelled, but the RPC server ${endpoint.host} does not show where.` };
  if (event.topics[0] === AUTHORIZATION_USED) return settlement(endpoint, sought, event, finalized, signal);
  if (event.blockNumber <= finalized.number) return { state: 'dead', why: 'The authorization was cancelled.' };
  return { state: 'open', why: 'The authorization was cancelled; that is not final yet.' };
}

async function settlement(endpoint: Endpoint, sought: Sought, event: FoundEvmEvent, finalized: EvmBlock, signal: AbortSignal): Promise<Observation> {
  const receipt = await readReceipt(endpoint, event.transactionHash, signal);
  if (!receipt) return { state: 'open', why: 'The settlement vanished from the chain.' };
  const shows = (wanted: (event: EvmEvent) => boolean): boolean => receipt.logs.some((log) => log.address === sought.token.toLowerCase() && wanted(log));
  const used = shows(({ topics }) => topics[0] === AUTHORIZATION_USED && topics[1] === addressTopic(sought.from) && topics[2] === sought.nonce);
  const moved = shows(({ topics, data }) => topics[0] === TRANSFER && topics[1] === addressTopic(sought.from) && topics[2] === addressTopic(sought.to) && data !== '0x' && BigInt(data) === sought.value);
  const other = shows(({ topics }) => topics[0] === TRANSFER && topics[1] === addressTopic(sought.from));
  if (receipt.status === 1n && used && !moved && other && receipt.blockNumber <= finalized.number) return { state: 'dead', why: 'Another transfer used the authorization’s nonce.' };
  if (receipt.status !== 1n || !used || !moved) return { state: 'open', why: `The authorization was used in ${event.transactionHash}, but no matching transfer is to be seen there.` };
  return { state: 'settled', transaction: event.transactionHash, final: receipt.blockNumber <= finalized.number };
}

/** Where the authorization was used or cancelled: first from its expiry back to its signing, then from the head back to its expiry. */
async function findEvent(endpoint: Endpoint, search: { sought: Sought; head: EvmBlock; limits: SearchLimits }, signal: AbortSignal): Promise<FoundEvmEvent | undefined> {
  const { sought, head, limits } = search;
  const filter = { address: sought.token, topics: [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], addressTopic(sought.from), sought.nonce] };
  const expiry = head.timestamp < sought.validBefore ? head.number : await lastBlockBefore(endpoint, sought.validBefore, head, signal);
  const earliest = sought.signedAt - CLOCK_SLACK_S;
  let searches = 0;
  const searchBack = async (newest: bigint, isEnough: (oldest: bigint) => boolean | Promise<boolean>): Promise<FoundEvmEvent | undefined> => {
    for (let to = newest; to >= 0n && searches < limits.searches; to -= limits.blocks) {
      const from = to >= limits.blocks ? to - limits.blocks + 1n : 0n;
      searches += 1;
      const event = (await readEvents(endpoint, { ...filter, from, to }, signal)).find(({ removed }) => !removed);
      if (event || (await isEnough(from))) return event;
    }
    return undefined;
  };
  const found = await searchBack(expiry, async (oldest) => (await readBlock(endpoint, oldest, signal)).timestamp < earliest);
  return found ?? (await searchBack(head.number, (oldest) => oldest <= expiry));
}

/** The newest block older than a time (s): steps back from the head by doubling, then halves. */
async function lastBlockBefore(endpoint: Endpoint, time: bigint, head: EvmBlock, signal: AbortSignal): Promise<bigint> {
  const isBefore = async (number: bigint): Promise<boolean> => (await readBlock(endpoint, number, signal)).timestamp < time;
  let high = head.number;
  let low = high;
  for (let step = 1n; low > 0n && !(await isBefore(low)); step *= 2n) {
    high = low;
    low = low > step ? low - step : 0n;
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await isBefore(middle)) low = middle;
    else high = middle;
  }
  return low;
}
