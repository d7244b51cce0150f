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
export function createBalances(read: ReadBalance, now: () => number = () => performance.now()): Chain['balance'] {
  const known = new Map<string, { readonly value: BaseUnits; readonly at: number }>();
  const asking = new Map<string, Promise<BaseUnits>>();
  // One asker's abort must not spoil the answer for the others; every call has its own time limit.
  const never = new AbortController().signal;

  return async (asset, owner, { fresh = false, signal = never } = {}) => {
    const key = `${asset.network} ${asset.address} ${owner}`;
    const last = known.get(key);
    if (!fresh && last && now() - last.at < MAX_AGE_MS) return last.value;

    const running = fresh ? undefined : asking.get(key);
    const answer = running ?? read(asset, owner, never);
    if (!running) {
      asking.set(key, answer);
      const at = now();
      const done = (value?: BaseUnits): void => {
        if (asking.get(key) === answer) asking.delete(key);
        if (value !== undefined && at >= (known.get(key)?.at ?? 0)) known.set(key, { value, at });
      };
      answer.then(done, () => done());
    }
    return orAborted(answer, signal);
  };
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = () => new BursarError('CHAIN_UNREACHABLE', 'The balance was no longer needed.');
  if (signal.aborted) return Promise.reject(aborted());
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted());
    signal.addEventListener('abort', onAbort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
