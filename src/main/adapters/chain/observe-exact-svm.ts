import { z } from 'zod';
import type { Observation, Track } from '../../../core/ports.ts';
import type { Endpoint } from './endpoint.ts';
import {
  readBlockhashValid,
  readFinalized,
  readFirstAvailableSlot,
  readSignatures,
  readSigners,
  SIGNATURES_PER_PAGE,
  type SolanaSignature,
} from './solana-reader.ts';
import { readTrack } from './track.ts';

/** An account with more transactions than this since the signing is not searched further in one look. */
const MAX_PAGES = 10;
/** How far block times and our clock may differ (s) before a transaction counts as older than the signing. */
const CLOCK_SLACK_S = 600n;
const MAX_REMEMBERED = 10_000;

/** Looks at a payment through one RPC server. Throws `CHAIN_UNREACHABLE`. */
export type LookAtExactSvm = (endpoint: Endpoint, track: Track, signal: AbortSignal) => Promise<Observation>;

/**
 * What the chain says of a transfer that another party submits (I5). The landed transaction's id is the fee payer's signature, unknown
 * to us, so the source account's transactions since the signing are searched for *our* signature. Dead: landed with an error for good,
 * or absent while the finalized height is past the blockhash's last block and the server's history covers the time since the signing.
 */
export function createExactSvmLook(): LookAtExactSvm {
  // Who signed a landed transaction never changes, so each is fetched once. Oldest out first.
  const signersOf = new Map<string, readonly string[]>();

  async function isOurs(endpoint: Endpoint, candidate: string, signature: string, signal: AbortSignal): Promise<boolean> {
    let signers = signersOf.get(candidate);
    if (!signers) {
      signers = await readSigners(endpoint, candidate, signal);
      signersOf.set(candidate, signers);
      if (signersOf.size > MAX_REMEMBERED) signersOf.delete(signersOf.keys().next().value!);
    }
    return signers.includes(signature);
  }

  async function find(endpoint: Endpoint, sought: Sought, minContextSlot: bigint, signal: AbortSignal): Promise<{ found?: SolanaSignature; covered: boolean }> {
    let before: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await readSignatures(endpoint, sought.source, { minContextSlot, ...(before && { before }) }, signal);
      for (const candidate of page) {
        if (isOlder(candidate, sought)) return { covered: true };
        if (await isOurs(endpoint, candidate.signature, sought.signature, signal)) return { found: candidate, covered: true };
      }
      before = page.at(-1)?.signature;
      if (page.length < SIGNATURES_PER_PAGE) return { covered: (await readFirstAvailableSlot(endpoint, signal)) <= sought.slot };
    }
    return { covered: false };
  }

  return async (endpoint, track, signal) => {
    const sought = readTrack(shape, track);
    // The height first and the history after, from a server that is at least as far: what landed until then is in it.
    const finalized = await readFinalized(endpoint, signal);
    const { found, covered } = await find(endpoint, sought, finalized.slot, signal);
    if (found) {
      const final = found.confirmationStatus === 'finalized';
      if (found.err === null) return { state: 'settled', transaction: found.signature, final };
      if (final) return { state: 'dead', why: `The transaction ${found.signature} failed on the chain.` };
      return { state: 'open', why: `The transaction ${found.signature} failed on the chain; that is not final yet.` };
    }
    if (finalized.height <= sought.lastValidBlockHeight) return { state: 'open', why: 'The server has not collected the money yet.' };
    if (!covered) return { state: 'open', why: `The history that the RPC server ${endpoint.host} holds does not reach back to the signing.` };
    // The last height is the word of the one server that gave the blockhash; this one has to know it expired, too.
    if (await readBlockhashValid(endpoint, sought.blockhash, finalized.slot, signal)) return { state: 'open', why: 'The blockhash is still valid.' };
    return { state: 'dead', why: 'The transaction expired before it was sent.' };
  };
}

const shape = z.object({
  kind: z.literal('exact-svm'),
  signature: z.string().min(64),
  source: z.string().min(32),
  blockhash: z.string().min(32),
  lastValidBlockHeight: z.coerce.bigint().positive(),
  slot: z.coerce.bigint().nonnegative(),
  signedAt: z.coerce.bigint().positive(),
});
type Sought = z.infer<typeof shape>;

/** By slot, which one server told us, and by time, which it cannot bend. */
const isOlder = ({ slot, blockTime }: SolanaSignature, sought: Sought): boolean =>
  slot < sought.slot && (blockTime === null || blockTime === undefined || blockTime < sought.signedAt - CLOCK_SLACK_S);
