import { z } from 'zod';
import type { Observation, Track } from '../../../core/ports.ts';
import type { Endpoint } from './endpoint.ts';
import { readBlockhashValid, readFinalized, readFirstAvailableSlot, readStatus } from './solana-reader.ts';
import { readTrack } from './track.ts';

const shape = z.object({
  kind: z.literal('transfer-svm'),
  signature: z.string().min(64),
  blockhash: z.string().min(32),
  lastValidBlockHeight: z.coerce.bigint().positive(),
  slot: z.coerce.bigint().nonnegative(),
});

/**
 * What one RPC server says of a transaction of our own (I5), whose id we know. Dead: landed with an error for good, or unknown while the
 * finalized height is past the blockhash's last block and the server's history covers the time since the signing. Throws `CHAIN_UNREACHABLE`.
 */
export async function lookAtTransferSvm(endpoint: Endpoint, track: Track, signal: AbortSignal): Promise<Observation> {
  const sought = readTrack(shape, track);
  // The height first and the status after, from a server that is at least as far.
  const finalized = await readFinalized(endpoint, signal);
  const { slot, found } = await readStatus(endpoint, sought.signature, signal);
  if (found) {
    const final = found.confirmationStatus === 'finalized';
    if (found.err !== null) return final ? { state: 'dead', why: `The transaction ${sought.signature} failed on the chain.` } : { state: 'open', why: `The transaction ${sought.signature} failed on the chain; that is not final yet.` };
    if (!final && found.confirmationStatus !== 'confirmed') return { state: 'open', why: 'The transaction is not confirmed yet.' };
    return { state: 'settled', transaction: sought.signature, final };
  }
  if (finalized.height <= sought.lastValidBlockHeight) return { state: 'open', why: 'The transaction has not landed yet.' };
  if (slot < finalized.slot) return { state: 'open', why: `The RPC server ${endpoint.host} lags behind.` };
  if ((await readFirstAvailableSlot(endpoint, signal)) > sought.slot) return { state: 'open', why: `The history that the RPC server ${endpoint.host} holds does not reach back to the signing.` };
  // The last height is the word of the one server that gave the blockhash; this one has to know it expired, too.
  if (await readBlockhashValid(endpoint, sought.blockhash, finalized.slot, signal)) return { state: 'open', why: 'The blockhash is still valid.' };
  return { state: 'dead', why: 'The transaction expired before it landed.' };
}
