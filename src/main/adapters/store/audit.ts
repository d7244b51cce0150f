import { setTimeout as pause } from 'node:timers/promises';
import { createChain, GENESIS } from './chain.ts';
import type { Db } from './database.ts';
import { linkFindings, linkPages, paymentFindings, paymentPages } from './inspect.ts';

/** Rows between two looks at the time: some milliseconds of work. */
const SLICE_ROWS = 50;

export interface AuditOptions {
  readonly db: Db;
  readonly signal: AbortSignal;
  /** Rest between two slices in milliseconds; payments go on in it. */
  readonly restMs: number;
}

/** What an audit read. */
export interface Audited {
  readonly entries: number;
  readonly payments: number;
  readonly findings: readonly string[];
}

/**
 * Reads the whole ledger in small slices: every link of the chain, every payment against its last link. Rows that are written meanwhile are
 * whole in every slice, since only this process writes. Ends at the first page with a finding, or when `signal` aborts.
 */
export async function audit({ db, signal, restMs }: AuditOptions): Promise<Audited> {
  const chain = createChain(db);
  const links = linkPages(db);
  const payments = paymentPages(db);
  let hash: Uint8Array = GENESIS.hash;
  let entries = 0;
  let read = 0;
  let findings: string[] = [];

  for (let page = links.all(0, SLICE_ROWS); page.length > 0 && findings.length === 0; page = links.all(page.at(-1)!.seq, SLICE_ROWS)) {
    findings = linkFindings(db, hash, page);
    hash = page.at(-1)!.hash;
    entries += page.length;
    await pause(restMs);
    if (signal.aborted) return { entries, payments: read, findings };
  }
  for (let page = payments.all(0, SLICE_ROWS); page.length > 0 && findings.length === 0; page = payments.all(page.at(-1)!.seq, SLICE_ROWS)) {
    findings = paymentFindings(db, chain, page);
    read += page.length;
    await pause(restMs);
    if (signal.aborted) return { entries, payments: read, findings };
  }
  return { entries, payments: read, findings };
}
