import type { Endpoint } from './endpoint.ts';
import { readNonce, readSenders } from './evm-reader.ts';

/** Steps back, each twice the one before: years of blocks. */
const MOST_STEPS = 26;

export interface NonceUse {
  readonly account: string;
  readonly nonce: bigint;
  /** A block at which the nonce was not used yet, as far as is known. */
  readonly unusedAt?: bigint | undefined;
  /** A block at which it was. */
  readonly usedAt: bigint;
}

/**
 * Hash of the transaction that used an account's nonce, from the block that holds it; undefined where the server does not show one, e.g.
 * because another's transaction raised the nonce (EIP-7702). Throws `CHAIN_UNREACHABLE`, also where the server keeps no state so old.
 */
export async function readNonceUse(endpoint: Endpoint, { account, nonce, unusedAt, usedAt }: NonceUse, signal: AbortSignal): Promise<string | undefined> {
  const isUsed = async (block: bigint): Promise<boolean> => (await readNonce(endpoint, account, block, signal)) > nonce;
  let high = usedAt;
  let low = unusedAt !== undefined && unusedAt < usedAt ? unusedAt : usedAt - 1n;
  for (let steps = 0, step = 1n; low >= 0n && (await isUsed(low)); steps++, step *= 2n) {
    if (low === 0n || steps === MOST_STEPS) return undefined;
    high = low;
    low = low > step ? low - step : 0n;
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await isUsed(middle)) high = middle;
    else low = middle;
  }
  return (await readSenders(endpoint, high, signal)).find((one) => one.from === account.toLowerCase() && one.nonce === nonce)?.hash;
}
