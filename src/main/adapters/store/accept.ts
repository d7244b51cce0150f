import { baseUnits } from '../../../shared/money/money.ts';
import { buildChain } from './chain.ts';
import type { Db } from './database.ts';
import { buildPolicyChain } from './policy-chain.ts';
import type { UseRow } from './row-digest.ts';

export interface Acceptance {
  readonly at: number;
  /** Who accepted, as people read it. */
  readonly author: string;
  readonly findings: readonly string[];
}

/**
 * Takes ledger and policy as they stand: the hashes are computed anew over the rows, the counters from the uses of budget that payments
 * hold, and what was found is kept. One transaction that reads the whole ledger.
 */
export function acceptLedger(db: Db, { at, author, findings }: Acceptance): void {
  db.transaction(() => {
    buildChain(db, at);
    buildPolicyChain(db);
    rebuildCounters(db);
    db.prepare('INSERT INTO ledger_acceptances (at, author, findings) VALUES (?, ?, ?)').run(at, author, JSON.stringify(findings));
  }).immediate();
}

function rebuildCounters(db: Db): void {
  const sums = new Map<string, bigint>();
  for (const { counter, units } of db.prepare<[], UseRow>('SELECT counter, units FROM budget_uses').iterate()) {
    sums.set(counter, (sums.get(counter) ?? 0n) + BigInt(units));
  }
  db.exec('DELETE FROM budget_counters');
  const insert = db.prepare<[string, string]>('INSERT INTO budget_counters (counter, units) VALUES (?, ?)');
  for (const [counter, units] of sums) insert.run(counter, baseUnits(units).toString());
}
