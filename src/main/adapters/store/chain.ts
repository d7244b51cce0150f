import type { PaymentEvent } from '../../../core/payments/payment.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Db } from './database.ts';
import type { PaymentRow } from './payment-row.ts';
import { HASH_BYTES, rowDigest, sha256, USE_COLUMNS, type RowDigest, type UseRow } from './row-digest.ts';

/** A point of the chain: the number of its last event and the hash that stands for everything up to it. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: Buffer;
}

/** An event as the chain sees it. An empty `row_hash` says that the row after this event is not known: it is older than the chain. */
export interface LinkRow {
  readonly seq: number;
  readonly payment_id: string;
  readonly at: number;
  readonly kind: string;
  readonly detail: string;
  readonly money_hash: Buffer;
  readonly row_hash: Buffer;
  readonly hash: Buffer;
}

export const GENESIS: ChainHead = { seq: 0, hash: Buffer.alloc(HASH_BYTES) };
export const LINK_COLUMNS = 'seq, payment_id, at, kind, detail, money_hash, row_hash, hash';
const UNKNOWN_ROW = Buffer.alloc(0);

/** Hash of a link: of the one before it, of the event, and of the payment's row after it. */
export const linkHash = (before: Uint8Array, { seq, payment_id, at, kind, detail, money_hash, row_hash }: Omit<LinkRow, 'hash'>): Buffer =>
  sha256(before, JSON.stringify([seq, payment_id, at, kind, detail, money_hash.length, row_hash.length]), money_hash, row_hash);

export type Chain = ReturnType<typeof createChain>;

/** The hash chain over the journal: each event is a link. It holds no state of its own, so that what it says is what the file says. */
export function createChain(db: Db) {
  const head = db.prepare<[], ChainHead>('SELECT seq, hash FROM payment_events ORDER BY seq DESC LIMIT 1');
  const at = db.prepare<[number], Buffer>('SELECT hash FROM payment_events WHERE seq = ?').pluck();
  // `+?` as in the journal's statements: planned once.
  const lastHash = db.prepare<[string], Buffer>('SELECT row_hash FROM payment_events WHERE payment_id = +? ORDER BY seq DESC LIMIT 1').pluck();
  const first = db.prepare<[string], number>('SELECT seq FROM payment_events WHERE payment_id = +? ORDER BY seq LIMIT 1').pluck();
  const uses = db.prepare<[string], UseRow>(`SELECT ${USE_COLUMNS} FROM budget_uses WHERE payment = (SELECT seq FROM payments WHERE id = ?) ORDER BY asset`);
  const insert = db.prepare<[LinkRow]>(
    `INSERT INTO payment_events (${LINK_COLUMNS}) VALUES (@seq, @payment_id, @at, @kind, @detail, @money_hash, @row_hash, @hash)`,
  );
  const digest = (row: PaymentRow): RowDigest => rowDigest(row, uses.all(row.id));

  return {
    head: (): ChainHead => head.get() ?? GENESIS,
    /** Hash of the chain up to an event; undefined where there is no such event. */
    hashAt: (seq: number): Buffer | undefined => (seq === 0 ? GENESIS.hash : at.get(seq)),
    firstSeqOf: (paymentId: string): number | undefined => first.get(paymentId),
    uses: (paymentId: string): readonly UseRow[] => uses.all(paymentId),
    digest,
    /** What the last link of a payment says, where its row is the one that it speaks of. */
    holds(row: PaymentRow): RowDigest | undefined {
      const found = digest(row);
      return lastHash.get(row.id)?.equals(found.row) ? found : undefined;
    },
    /**
     * Appends what happened to a payment and says what the link says; `row` is its row after that, read from the file, since SQLite may store
     * a text otherwise than it was given.
     */
    append(row: PaymentRow, time: number, event: PaymentEvent): RowDigest {
      const before = head.get() ?? GENESIS;
      const linked = digest(row);
      const { money, row: whole } = linked;
      const link = {
        seq: before.seq + 1,
        payment_id: row.id,
        at: time,
        kind: event.kind.toWellFormed(),
        detail: event.detail.toWellFormed(),
        money_hash: money,
        row_hash: whole,
      };
      insert.run({ ...link, hash: linkHash(before.hash, link) });
      return linked;
    },
  };
}

/** A row, use of budget or policy that is not what Bursar wrote. */
export const tampered = (finding: string): BursarError => new BursarError('LEDGER_TAMPERED', finding);

const PAGE = 5000;

/**
 * Builds the chain over rows as they stand: for a database from before the chain, and when the owner accepts what was changed from
 * outside. Rows of earlier states are unknown; a payment without any event gets one of kind `accepted`. Runs in the caller's transaction.
 */
export function buildChain(db: Db, now: number): void {
  const chain = createChain(db);
  const page = db.prepare<[number, number], LinkRow & { readonly newest: 0 | 1 }>(
    `SELECT ${LINK_COLUMNS}, NOT EXISTS (SELECT 1 FROM payment_events later WHERE later.payment_id = e.payment_id AND later.seq > e.seq) AS newest
     FROM payment_events e WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const payment = db.prepare<[string], PaymentRow>('SELECT * FROM payments WHERE id = ?');
  const update = db.prepare<[Buffer, Buffer, Buffer, number]>('UPDATE payment_events SET money_hash = ?, row_hash = ?, hash = ? WHERE seq = ?');
  let { seq, hash } = GENESIS;
  for (let links = page.all(seq, PAGE); links.length > 0; links = page.all(seq, PAGE)) {
    for (const link of links) {
      const row = link.newest ? payment.get(link.payment_id) : undefined;
      const known = row ? chain.digest(row) : { money: UNKNOWN_ROW, row: UNKNOWN_ROW };
      hash = linkHash(hash, { ...link, money_hash: known.money, row_hash: known.row });
      update.run(known.money, known.row, hash, link.seq);
      seq = link.seq;
    }
  }
  const silent = db.prepare<[], PaymentRow>('SELECT * FROM payments WHERE NOT EXISTS (SELECT 1 FROM payment_events WHERE payment_id = payments.id) ORDER BY seq');
  for (const row of silent.all()) chain.append(row, now, { kind: 'accepted', detail: 'The owner accepted this row, which Bursar had not written.' });
}
