import type { Db } from './database.ts';
import { HASH_BYTES, sha256 } from './row-digest.ts';

/** A policy version as it is stored. */
export interface PolicyRow {
  readonly number: number;
  readonly saved_at: number;
  readonly author: string;
  readonly json: string;
  readonly hash: Buffer;
}

/** A policy version by its number and the hash that stands for it and all before it. */
export interface PolicyHead {
  readonly number: number;
  readonly hash: Buffer;
}

const NONE: PolicyHead = { number: 0, hash: Buffer.alloc(HASH_BYTES) };

export const policyHash = (before: Uint8Array, { number, saved_at, author, json }: Omit<PolicyRow, 'hash'>): Buffer =>
  sha256(before, JSON.stringify([number, saved_at, author, json]));

/** The newest version as the file has it. */
export const policyHead = (db: Db): PolicyHead =>
  db.prepare<[], PolicyHead>('SELECT number, hash FROM policy_versions ORDER BY number DESC LIMIT 1').get() ?? NONE;

/** Hash of a version as the file has it; undefined where it is missing. */
export const policyHashAt = (db: Db, number: number): Buffer | undefined =>
  number === 0 ? NONE.hash : db.prepare<[number], Buffer>('SELECT hash FROM policy_versions WHERE number = ?').pluck().get(number);

/** What is wrong with the versions among themselves: one that was changed, put in or taken out. */
export function policyFindings(db: Db): string[] {
  let { hash } = NONE;
  for (const row of db.prepare<[], PolicyRow>('SELECT * FROM policy_versions ORDER BY number').iterate()) {
    hash = policyHash(hash, row);
    if (!hash.equals(row.hash)) return [`Version ${row.number} of the policy, or the one before it, was changed or taken out from outside in ${db.name}.`];
  }
  return [];
}

/** Builds the chain of versions over what is there. Runs in the caller's transaction. */
export function buildPolicyChain(db: Db): void {
  let { hash } = NONE;
  const update = db.prepare<[Buffer, number]>('UPDATE policy_versions SET hash = ? WHERE number = ?');
  for (const row of db.prepare<[], PolicyRow>('SELECT * FROM policy_versions ORDER BY number').all()) {
    hash = policyHash(hash, row);
    update.run(hash, row.number);
  }
}
