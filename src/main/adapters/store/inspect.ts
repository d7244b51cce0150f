import type { KeyObject } from 'node:crypto';
import type { Anchor } from './anchor.ts';
import { createChain, type Chain, LINK_COLUMNS, linkHash, type LinkRow } from './chain.ts';
import type { StoredCheckpoint } from './checkpoint.ts';
import { useSum } from './use-set.ts';
import type { Db } from './database.ts';
import type { PaymentRow } from './payment-row.ts';
import { policyFindings, policyHashAt, policyHead } from './policy-chain.ts';

/** Links that are verified before anything is paid; the audit verifies the others while Bursar runs. */
const RECENT_LINKS = 2000;

/** Rows that are looked at although no recent link speaks of them, since one that was put in has none. */
const RECENT_PAYMENTS = 200;

/** How far a row that was written while the wallet was locked may be ahead of the clock. */
const FUTURE_MS = 24 * 60 * 60_000;

export type Link = LinkRow & { readonly payment: 0 | 1 };

/** Reads rows that follow a number, in order. */
export interface Pages<T> {
  all(after: number, limit: number): T[];
}

/** Links with whether their payment is there. */
export const linkPages = (db: Db): Pages<Link> =>
  db.prepare<[number, number], Link>(
    `SELECT ${LINK_COLUMNS.split(', ').map((column) => `e.${column}`).join(', ')}, p.id IS NOT NULL AS payment
     FROM payment_events e LEFT JOIN payments p ON p.id = e.payment_id WHERE e.seq > ? ORDER BY e.seq LIMIT ?`,
  );

/** What is wrong with a run of links that follow `before`. */
export function linkFindings(db: Db, before: Uint8Array, links: readonly Link[]): string[] {
  let hash: Uint8Array = before;
  for (const link of links) {
    hash = linkHash(hash, link);
    if (!link.hash.equals(hash)) return [`Entry ${link.seq} of the ledger was changed, put in or taken out from outside in ${db.name}.`];
    if (!link.payment && link.row_hash.length > 0) return [`The payment ${link.payment_id} was taken out of ${db.name} from outside.`];
  }
  return [];
}

export const paymentPages = (db: Db): Pages<PaymentRow> =>
  db.prepare<[number, number], PaymentRow>('SELECT * FROM payments WHERE seq > ? ORDER BY seq LIMIT ?');

/** What is wrong with payments as they stand against the last link that speaks of each. */
export const paymentFindings = (db: Db, chain: Chain, rows: readonly PaymentRow[]): string[] =>
  rows.filter((row) => !chain.holds(row)).map((row) => `The payment ${row.id} was changed or put in from outside in ${db.name}.`);

/** Links after `from`, at least the newest {@link RECENT_LINKS}, their payments, and the newest payments. */
function recentFindings(db: Db, from: number): string[] {
  const chain = createChain(db);
  const head = chain.head();
  const start = Math.max(0, Math.min(from, head.seq - RECENT_LINKS));
  const before = chain.hashAt(start);
  if (!before) return [`Entry ${start} of the ledger was taken out from outside in ${db.name}.`];
  const links = linkPages(db).all(start, head.seq - start);
  const broken = linkFindings(db, before, links);
  if (broken.length > 0) return broken;
  const get = db.prepare<[string], PaymentRow>('SELECT * FROM payments WHERE id = ?');
  const rows = [...new Set(links.map((link) => link.payment_id))].map((id) => get.get(id)).filter((row) => row !== undefined);
  const newest = db.prepare<[], number>('SELECT max(seq) FROM payments').pluck().get() ?? 0;
  return paymentFindings(db, chain, [...rows, ...paymentPages(db).all(newest - RECENT_PAYMENTS, RECENT_PAYMENTS)]);
}

export interface InspectRequest {
  readonly db: Db;
  readonly checkpoint: StoredCheckpoint;
  /** Key of the run that wrote the checkpoint. */
  readonly key: KeyObject;
  /** What lies with the keys; undefined where it is not asked for again. */
  readonly anchor?: Anchor;
  /** Whether rows may follow the checkpoint, written while the wallet was locked. */
  readonly tailAllowed: boolean;
  /** The system's clock. */
  readonly now: number;
}

/**
 * Whether ledger, policy, clock and counters are what the checkpoint says, in time that does not grow with the ledger: one sum
 * goes over the uses of budget that a window can reach. Gives plain sentences for the owner; none where all is well.
 */
export function inspect({ db, checkpoint, key, anchor, tailAllowed, now }: InspectRequest): string[] {
  if (!checkpoint.isOf(key)) return [`The ledger in ${db.name} was not signed off by this wallet: the file is of another data folder, or was changed from outside.`];
  const chain = createChain(db);
  const head = chain.head();
  const findings: string[] = [...policyFindings(db)];

  const newest = policyHead(db);
  if (newest.number < checkpoint.policy.number) findings.push(`The newest version of the policy (${checkpoint.policy.number}) was taken out of ${db.name}; version ${newest.number} is there.`);
  else if (newest.number > checkpoint.policy.number || !newest.hash.equals(checkpoint.policy.hash)) findings.push(`Version ${newest.number} of the policy in ${db.name} was not saved by Bursar.`);

  if (head.seq < checkpoint.head.seq) return [...findings, `The ledger in ${db.name} was cut off: ${checkpoint.head.seq} entries were written, ${head.seq} are there.`];
  if (!chain.hashAt(checkpoint.head.seq)?.equals(checkpoint.head.hash)) return [...findings, `The ledger in ${db.name} was changed from outside before entry ${checkpoint.head.seq}.`];
  if (head.seq > checkpoint.head.seq && !tailAllowed) return [...findings, `${head.seq - checkpoint.head.seq} entries were added to the ledger in ${db.name} from outside.`];

  if (anchor) {
    if (head.seq < anchor.head.seq || newest.number < anchor.policy.number) {
      findings.push(`An older ${db.name} was put back: the wallet has seen entry ${anchor.head.seq} and version ${anchor.policy.number} of the policy, the file ends with ${head.seq} and ${newest.number}.`);
    } else if (!chain.hashAt(anchor.head.seq)?.equals(anchor.head.hash) || !policyHashAt(db, anchor.policy.number)?.equals(anchor.policy.hash)) {
      findings.push(`${db.name} is not the file that the wallet has seen: another one was put in its place.`);
    }
  }

  findings.push(...recentFindings(db, checkpoint.head.seq));
  const tail = linkPages(db).all(checkpoint.head.seq, head.seq - checkpoint.head.seq);
  const { added, findings: wrong } = tailEffects(db, tail, now);
  findings.push(...wrong);

  const highWater = tail.reduce((highest, { at }) => Math.max(highest, at), checkpoint.highWater);
  if (db.prepare('SELECT high_water FROM journal_clock').pluck().get() !== highWater) findings.push(`The clock of the ledger in ${db.name} was set from outside.`);
  if (!checkpoint.holdsUses(key, useSum(db, key, checkpoint.usesSince, added))) findings.push(`The uses of budget in ${db.name} were changed from outside: they do not say what was spent.`);
  return findings;
}

/**
 * What rows that were written while the wallet was locked did to the counters. Such rows carry no MAC, so they may only add: a new payment
 * that is not signed, or how an older one was served. They can hold budget back and never free any.
 */
function tailEffects(db: Db, tail: readonly LinkRow[], now: number): { readonly added: ReadonlyMap<string, bigint>; readonly findings: string[] } {
  const chain = createChain(db);
  const start = (tail[0]?.seq ?? 1) - 1;
  const previous = db.prepare<[string, number], Buffer>('SELECT money_hash FROM payment_events WHERE payment_id = +? AND seq < ? ORDER BY seq DESC LIMIT 1').pluck();
  const money = db.prepare<[string], string>('SELECT money FROM payments WHERE id = ?').pluck();
  const added = new Map<string, bigint>();
  const findings: string[] = [];
  const wrong = (link: LinkRow, what: string) => findings.push(`Entry ${link.seq} of the ledger in ${db.name} was written while the wallet was locked, but ${what}.`);
  for (const link of tail) {
    if (link.at > now + FUTURE_MS) wrong(link, 'its time is in the future');
    const isNew = (chain.firstSeqOf(link.payment_id) ?? 0) > start;
    if (!isNew) {
      if (!previous.get(link.payment_id, link.seq)?.equals(link.money_hash)) wrong(link, `it changes the money of the older payment ${link.payment_id}`);
    } else if (chain.firstSeqOf(link.payment_id) === link.seq) {
      if (!['none', 'reserved', 'dead'].includes(money.get(link.payment_id) ?? '')) wrong(link, `the payment ${link.payment_id} is signed`);
      for (const { use, units } of chain.uses(link.payment_id)) added.set(use, (added.get(use) ?? 0n) + BigInt(units));
    }
  }
  return { added, findings };
}

/** What is wrong with a ledger that the wallet takes over at its first unlock: there is nothing yet to compare it with but itself. */
export const adoptionFindings = (db: Db): string[] => [...policyFindings(db), ...recentFindings(db, Number.MAX_SAFE_INTEGER)];
