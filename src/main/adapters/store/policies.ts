import type { Clock, Policies } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { defaultPolicy, Policy } from '../../../shared/policy/policy.ts';
import type { Db } from './database.ts';
import type { LedgerGuard } from './ledger-guard.ts';
import { policyHash, policyHead, type PolicyRow } from './policy-chain.ts';

/** One version of the owner's policy; versions are numbered from 1 and never change. */
export interface PolicyVersion {
  readonly number: number;
  readonly savedAt: number;
  readonly author: string;
  readonly policy: Policy;
}

export interface PolicyStore extends Policies {
  current(): PolicyVersion;
  /** Adds a version on top of number `basedOn`. Throws `APPROVAL_STALE` when another one is in force by now, and what the ledger's guard throws. */
  save(change: { readonly basedOn: number; readonly policy: Policy; readonly author: string }): PolicyVersion;
  /** After the owner accepted a changed ledger: the default policy on top of whatever stands there, since no version can be trusted. */
  startAnew(author: string): PolicyVersion;
  /** All versions, oldest first. */
  versions(): readonly PolicyVersion[];
  /** Newest first; those before a number, where one is given. */
  page(wanted: { readonly limit: number; readonly before?: number }): readonly PolicyVersion[];
  find(number: number): PolicyVersion | undefined;
}

export interface PoliciesOptions {
  /** IANA name, for the policy of a new data folder. */
  readonly timeZone: string;
  /** Signs each new version off; a version is refused while it cannot. */
  readonly guard?: LedgerGuard;
}

type Row = PolicyRow;

/** The owner's policy over an open database. A new one begins with the default policy in `timeZone` (IANA). */
export function createPolicies(db: Db, clock: Pick<Clock, 'now'>, { timeZone, guard }: PoliciesOptions): PolicyStore {
  const newest = db.prepare<[], Row>('SELECT * FROM policy_versions ORDER BY number DESC LIMIT 1');
  const all = db.prepare<[], Row>('SELECT * FROM policy_versions ORDER BY number');
  const some = db.prepare<[number, number], Row>('SELECT * FROM policy_versions WHERE number < ? ORDER BY number DESC LIMIT ?');
  const one = db.prepare<[number], Row>('SELECT * FROM policy_versions WHERE number = ?');
  const insert = db.prepare<[PolicyRow]>('INSERT INTO policy_versions (number, saved_at, author, json, hash) VALUES (@number, @saved_at, @author, @json, @hash)');

  // Only this process writes (engine lock), so the version in force needs to be parsed once.
  let current = load(db, newest) ?? add(1, defaultPolicy(timeZone), 'Bursar');

  function add(number: number, policy: Policy, author: string): PolicyVersion {
    const version = { number, savedAt: clock.now(), author, policy: Policy.parse(policy) };
    const row = { number, saved_at: version.savedAt, author, json: JSON.stringify(version.policy) };
    db.transaction(() => {
      const hash = policyHash(policyHead(db).hash, row);
      insert.run({ ...row, hash });
      guard?.policySaved({ number, hash });
    }).immediate();
    guard?.committed();
    return version;
  }

  return {
    current: () => current,
    save({ basedOn, policy, author }) {
      if (basedOn !== current.number) {
        throw new BursarError('APPROVAL_STALE', `The policy was changed meanwhile: version ${current.number} is in force, not ${basedOn}.`, {
          context: { current: String(current.number), basedOn: String(basedOn) },
        });
      }
      guard?.requirePolicyChange();
      current = add(current.number + 1, policy, author);
      return current;
    },
    startAnew(author) {
      current = add(Math.max(current.number, policyHead(db).number) + 1, defaultPolicy(timeZone), author);
      return current;
    },
    versions: () => all.all().map((row) => versionOfRow(db, row)),
    page: ({ limit, before = Number.MAX_SAFE_INTEGER }) => some.all(before, limit).map((row) => versionOfRow(db, row)),
    find(number) {
      const row = one.get(number);
      return row && versionOfRow(db, row);
    },
  };
}

const load = (db: Db, newest: { get(): Row | undefined }): PolicyVersion | undefined => {
  const row = newest.get();
  return row && versionOfRow(db, row);
};

function versionOfRow(db: Db, row: Row): PolicyVersion {
  try {
    return { number: row.number, savedAt: row.saved_at, author: row.author, policy: Policy.parse(JSON.parse(row.json)) };
  } catch (error) {
    throw new BursarError('DATABASE_CORRUPT', `Policy version ${row.number} in ${db.name} cannot be read.`, { context: { path: db.name, version: String(row.number) }, cause: error });
  }
}
