import { buildChain } from './chain.ts';
import type { Db } from './database.ts';
import { buildPolicyChain } from './policy-chain.ts';

export interface Acceptance {
  readonly at: number;
  /** Who accepted, as people read it. */
  readonly author: string;
  readonly findings: readonly string[];
}

/**
 * Takes ledger and policy as they stand: the hashes are computed anew over the rows with their uses of budget, and what was
 * found is kept. One transaction that reads the whole ledger.
 */
export function acceptLedger(db: Db, acceptance: Acceptance): void {
  db.transaction(() => {
    buildChain(db, acceptance.at);
    buildPolicyChain(db);
    noteAcceptance(db, acceptance);
  }).immediate();
}

/** Keeps what the owner accepted. */
export function noteAcceptance(db: Db, { at, author, findings }: Acceptance): void {
  db.prepare('INSERT INTO ledger_acceptances (at, author, findings) VALUES (?, ?, ?)').run(at, author, JSON.stringify(findings));
}
