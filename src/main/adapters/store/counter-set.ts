import { createHmac } from 'node:crypto';
import type { Db } from './database.ts';
import type { UseRow } from './row-digest.ts';

/**
 * Stands for all counters at once and follows a change of one in constant time: the sum, modulo 2^256, of a keyed hash of each counter
 * with its units (a multiset hash). A counter at zero counts as absent. The sum itself never leaves the process, only a MAC of it does.
 */
export type CounterSum = bigint;

export function counterElement(key: Uint8Array, counter: string, units: bigint): bigint {
  if (units === 0n) return 0n;
  return BigInt(`0x${createHmac('sha256', key).update(JSON.stringify(['counter', counter, units.toString()])).digest('hex')}`);
}

/** The sum after a counter went from one value to another. */
export const counterMoved = (key: Uint8Array, sum: CounterSum, counter: string, before: bigint, after: bigint): CounterSum =>
  BigInt.asUintN(256, sum - counterElement(key, counter, before) + counterElement(key, counter, after));

/** The sum over the counters of the file, each lowered by what `added` says was added to it since. */
export function counterSum(db: Db, key: Uint8Array, added: ReadonlyMap<string, bigint> = new Map()): CounterSum {
  let sum = 0n;
  for (const { counter, units } of db.prepare<[], UseRow>('SELECT counter, units FROM budget_counters').iterate()) {
    sum += counterElement(key, counter, BigInt(units) - (added.get(counter) ?? 0n));
  }
  return BigInt.asUintN(256, sum);
}
