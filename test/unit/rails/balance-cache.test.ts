import { describe, expect, test } from 'vitest';
import { ASSETS } from '../../../src/core/registry/assets.ts';
import { createBalanceCache } from '../../../src/main/adapters/chain/balance-cache.ts';
import { isBursarError } from '../../../src/shared/errors/errors.ts';
import { baseUnits, type BaseUnits } from '../../../src/shared/money/money.ts';

const asset = ASSETS[0]!;

/** Balances whose answers a test gives by hand, and whose time it moves. */
function stage() {
  const asked: PromiseWithResolvers<BaseUnits>[] = [];
  let time = 0;
  const balance = createBalanceCache(
    () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)!.promise;
    },
    () => time,
  );
  return { asked, balance, pass: (ms: number) => void (time += ms), answer: (index: number, value: bigint) => asked[index]!.resolve(baseUnits(value)) };
}

describe('balances', () => {
  test('an answer that serves longer than ten seconds', async () => {
    const { asked, balance, pass, answer } = stage();
    const first = balance(asset, 'a');
    answer(0, 1n);
    expect(await first).toBe(1n);
    pass(9_999);
    expect(await balance(asset, 'a')).toBe(1n);
    pass(1);
    const second = balance(asset, 'a');
    answer(1, 2n);
    expect(await second).toBe(2n);
    expect(asked.length).toBe(2);
  });

  test('another owner’s balance', async () => {
    const { balance, answer } = stage();
    const [a, b] = [balance(asset, 'a'), balance(asset, 'b')];
    answer(0, 1n);
    answer(1, 2n);
    expect([await a, await b]).toEqual([1n, 2n]);
  });

  test('a fresh question answered by one that began before it', async () => {
    const { asked, balance, pass, answer } = stage();
    const old = balance(asset, 'a');
    pass(1);
    const fresh = balance(asset, 'a', { fresh: true });
    expect(asked.length).toBe(2);
    answer(1, 2n);
    answer(0, 1n);
    expect([await old, await fresh, await balance(asset, 'a')]).toEqual([1n, 2n, 2n]);
  });

  test('a failure that is remembered', async () => {
    const { asked, balance, answer } = stage();
    const first = balance(asset, 'a');
    asked[0]!.reject(new Error('down'));
    await expect(first).rejects.toThrow('down');
    const second = balance(asset, 'a');
    answer(1, 3n);
    expect(await second).toBe(3n);
  });

  test('one asker’s abort that spoils the answer for another', async () => {
    const { balance, answer } = stage();
    const abort = new AbortController();
    const aborted = balance(asset, 'a', { signal: abort.signal }).catch((error: unknown) => error);
    const other = balance(asset, 'a');
    abort.abort();
    expect(isBursarError(await aborted, 'CHAIN_UNREACHABLE')).toBe(true);
    answer(0, 4n);
    expect(await other).toBe(4n);
  });
});
