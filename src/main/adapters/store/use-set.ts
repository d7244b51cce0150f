import { createHmac, type KeyObject } from 'node:crypto';
import type { Db } from './database.ts';
import { USE_COLUMNS, type UseRow } from './row-digest.ts';

/**
 * Stands for all uses of budget from an instant on and follows a change of one in constant time: the sum, modulo 2^256, of a keyed hash of
 * each use with its units (a multiset hash). A use of zero counts as absent. The sum itself never leaves the process, only a MAC of it does.
 */
export type UseSum = bigint;

function useElement(key: KeyObject, use: string, units: bigint): bigint {
  if (units === 0n) return 0n;
  return BigInt(`0x${createHmac('sha256', key).update(JSON.stringify(['use', use, units.toString()])).digest('hex')}`);
}

/** The sum after a use went from one amount to another. */
export const useMoved = (key: KeyObject, sum: UseSum, use: string, before: bigint, after: bigint): UseSum =>
  BigInt.asUintN(256, sum - useElement(key, use, before) + useElement(key, use, after));

/** The sum over the uses in the file that were reserved at `since` (ms) or later, each lowered by what `added` says was added to it since. */
export function useSum(db: Db, key: KeyObject, since: number, added: ReadonlyMap<string, bigint> = new Map()): UseSum {
  let sum = 0n;
  for (const { use, units } of db.prepare<[number], UseRow>(`SELECT ${USE_COLUMNS} FROM budget_uses WHERE at >= ?`).iterate(since)) {
    sum += useElement(key, use, BigInt(units) - (added.get(use) ?? 0n));
  }
  return BigInt.asUintN(256, sum);
}
