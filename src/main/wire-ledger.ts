import { assetsInForce } from '../core/policy/policy-assets.ts';
import type { Clock, Journal } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { FileLog } from './adapters/home/log.ts';
import { createActivityLog, type ActivityLog } from './adapters/store/activity.ts';
import type { Db } from './adapters/store/database.ts';
import { createHistory, type History } from './adapters/store/history.ts';
import { createIntegrity, type LedgerIntegrity } from './adapters/store/integrity.ts';
import { createJournal } from './adapters/store/journal.ts';
import { createPolicies, type PolicyStore } from './adapters/store/policies.ts';
import { createSearchThread, type SearchThread } from './adapters/store/search-thread.ts';
import type { GuardedSettings } from './adapters/store/settings-watch.ts';
import { createShownAssets } from './rpc/shown-assets.ts';

export interface LedgerPorts {
  readonly db: Db;
  /** Path of the database, and the program of the thread that searches it. */
  readonly database: string;
  readonly searchEntry: string;
  readonly clock: Clock;
  readonly log: FileLog;
  readonly settings: GuardedSettings;
  /** Called when tampering was found or accepted. */
  readonly changed: () => void;
}

/** What is remembered of payments, and the policy over them. */
export interface Ledger {
  readonly integrity: LedgerIntegrity;
  readonly journal: Journal;
  readonly history: History;
  readonly search: SearchThread;
  readonly activity: ActivityLog;
  readonly policies: PolicyStore;
  /** The tokens that may be paid now; and those that any payment of the past was made in. */
  readonly assets: Assets;
  readonly shownAssets: Assets;
  /** Adds up what the caps in force count, so that no payment waits for it. */
  addUp(): void;
  /** Ends the thread that searches. */
  close(): void | Promise<void>;
}

export function wireLedger({ db, database, searchEntry, clock, log, settings, changed }: LedgerPorts): Ledger {
  const integrity = createIntegrity({ db, clock, log, settings, changed });
  const journal = createJournal(db, clock, integrity);
  const search = createSearchThread({ entry: searchEntry, database });
  const policies = createPolicies(db, clock, { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, guard: integrity });
  const addUp = (): void => {
    const { policy } = policies.current();
    if (policy.caps.length > 0) journal.atomically((tx) => tx.used(policy, 0, { at: clock.now(), session: '' }));
  };
  addUp();
  return {
    integrity,
    journal,
    history: createHistory(db),
    search,
    activity: createActivityLog(db),
    policies,
    assets: assetsInForce(policies),
    shownAssets: createShownAssets(policies),
    addUp,
    close: () => search.close(),
  };
}
