import type { ActivityEntry } from '../../../shared/contract/activity.ts';
import type { Db } from './database.ts';

export type NewActivity = Omit<ActivityEntry, 'id'>;

/** What was done beside payments. Entries are added and never change. */
export interface ActivityLog {
  add(entry: NewActivity): void;
  /** Newest first, with the versions of the policy and what was accepted of the ledger, which are kept in tables of their own. */
  page(options: { readonly offset: number; readonly limit: number }): { readonly entries: readonly ActivityEntry[]; readonly more: boolean };
}

export function createActivityLog(db: Db): ActivityLog {
  const insert = db.prepare<[NewActivity]>('INSERT INTO activity (at, author, act, subject, outcome) VALUES (@at, @author, @act, @subject, @outcome)');
  const page = db.prepare<[number, number], ActivityEntry>(`
    SELECT 'a' || seq AS id, at, author, act, subject, outcome FROM activity
    UNION ALL SELECT 'p' || number, saved_at, author, 'policy.version', CAST(number AS TEXT), '' FROM policy_versions
    UNION ALL SELECT 'l' || number, at, author, 'ledger.accepted', (SELECT group_concat(value, ' ') FROM json_each(findings)), '' FROM ledger_acceptances
    ORDER BY at DESC, id DESC LIMIT ? OFFSET ?`);
  return {
    add: (entry) => void insert.run(entry),
    page({ offset, limit }) {
      const entries = page.all(limit + 1, offset);
      return { entries: entries.slice(0, limit), more: entries.length > limit };
    },
  };
}
