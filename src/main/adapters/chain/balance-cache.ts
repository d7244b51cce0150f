import type { Chain } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { BaseUnits } from '../../../shared/money/money.ts';
import type { Asset } from '../../../core/registry/assets.ts';

const MAX_AGE_MS = 10_000;

type ReadBalance = (asset: Asset, owner: string, signal: AbortSignal) => Promise<BaseUnits>;

/**
 * Balances with a short memory: equal questions at the same time are asked once, an answer serves for ten seconds. A `fresh` one is
 * always asked anew. `now` counts milliseconds and never goes back.
 */
export function createBalanceCache(read: ReadBalance, now: () => number = () => performance.now()): Chain['balance'] {
  const known = new Map<string, { readonly value: BaseUnits; readonly at: number }>();
  const asking = new Map<string, Promise<BaseUnits>>();
  // One asker's abort must not spoil the answer for the others; every call has its own time limit.
  const never = new AbortController().signal;

  const readAndKeep = async (key: string, asset: Asset, owner: string): Promise<BaseUnits> => {
    const at = now();
    const value = await read(asset, owner, never);
    // A slow answer must not replace one that was asked for later.
    if (at >= (known.get(key)?.at ?? 0)) known.set(key, { value, at });
    return value;
  };
  const ask = (key: string, asset: Asset, owner: string): Promise<BaseUnits> => {
    const answer = readAndKeep(key, asset, owner).finally(() => {
      if (asking.get(key) === answer) asking.delete(key);
    });
    asking.set(key, answer);
    return answer;
  };

  return async (asset, owner, { fresh = false, signal = never } = {}) => {
    const key = `${asset.network} ${asset.address} ${owner}`;
    const last = known.get(key);
    if (!fresh && last && now() - last.at < MAX_AGE_MS) return last.value;

    const running = fresh ? undefined : asking.get(key);
    return orAborted(running ?? ask(key, asset, owner), signal);
  };
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new BursarError('CHAIN_UNREACHABLE', 'The balance was no longer needed.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // Taken up even after an abort, so that a failure is not left unhandled.
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
