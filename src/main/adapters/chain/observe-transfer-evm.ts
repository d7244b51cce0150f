import { z } from 'zod';
import type { Terms } from '../../../core/payments/terms.ts';
import type { Observation, Track } from '../../../core/ports.ts';
import { isCoin } from '../../../core/registry/coins.ts';
import type { Endpoint } from './endpoint.ts';
import { addressTopic, readFinalizedBlock, readNonce, readReceipt, TRANSFER, type EvmReceipt } from './evm-reader.ts';
import { readNonceUse } from './nonce-use.ts';
import { readTrack } from './track.ts';

const shape = z.object({
  kind: z.literal('transfer-evm'),
  transaction: z.string().regex(/^0x[0-9a-f]{64}$/),
  nonce: z.coerce.bigint().nonnegative(),
  /** The head when it was signed; rows of earlier versions have none. */
  block: z.coerce.bigint().nonnegative().optional(),
});

/**
 * What one RPC server says of a transaction of our own (I5). Settled: it succeeded and shows the transfer. Dead: it failed for good, or
 * the finalized chain shows another transaction of the account with its nonce. A receipt that is missing shows nothing: servers prune, and
 * index late. Throws `CHAIN_UNREACHABLE`.
 */
export async function lookAtTransferEvm(endpoint: Endpoint, terms: Terms, track: Track, signal: AbortSignal, confirmations?: number): Promise<Observation> {
  const { transaction, nonce, block } = readTrack(shape, track);
  // The nonce first and the receipt after: a transaction that lands in between is seen.
  const finalized = await readFinalizedBlock(endpoint, confirmations, signal);
  const consumed = (await readNonce(endpoint, terms.payer, finalized.number, signal)) > nonce;
  const receipt = await readReceipt(endpoint, transaction, signal);
  if (!receipt) {
    if (!consumed) return { state: 'open', why: 'The transaction is not in a block yet.' };
    const taker = await readNonceUse(endpoint, { account: terms.payer, nonce, unusedAt: block, usedAt: finalized.number }, signal);
    if (taker === undefined) return { state: 'open', why: `The account’s nonce ${nonce} was used, but the RPC server ${endpoint.host} does not show by what.` };
    if (taker === transaction) return { state: 'open', why: `The transaction is in a block, but the RPC server ${endpoint.host} does not show what came of it.` };
    return { state: 'dead', why: 'Another transaction of the account took its place.' };
  }
  const final = receipt.blockNumber <= finalized.number;
  if (receipt.status === 1n && moved(receipt, terms)) return { state: 'settled', transaction, final };
  const why = `The transaction ${transaction} ${receipt.status === 1n ? 'moved nothing' : 'failed on the chain'}`;
  return final ? { state: 'dead', why: `${why}.` } : { state: 'open', why: `${why}; that is not final yet.` };
}

/** The coin moves with the transaction itself; a token says so by an event. */
const moved = ({ logs }: EvmReceipt, terms: Terms): boolean =>
  isCoin(terms) ||
  logs.some(
    ({ address, topics, data }) =>
      address === terms.asset.toLowerCase() &&
      topics[0] === TRANSFER &&
      topics[1] === addressTopic(terms.payer) &&
      topics[2] === addressTopic(terms.payee) &&
      data !== '0x' &&
      BigInt(data) === terms.amount,
  );
