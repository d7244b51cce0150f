import type { Clock } from '../../../core/ports.ts';
import type { NetworkId } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { EscrowState } from '../../../shared/contract/escrows.ts';
import { parseBaseUnits, type BaseUnits } from '../../../shared/money/money.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** Whom an escrow is for. */
export interface Recipient {
  readonly kind: 'email' | 'sms';
  /** An e-mail address, or a phone number (E.164). */
  readonly to: string;
  /** The contact's name, where they are one. */
  readonly name: string;
}

export type Delivery = 'none' | 'sent' | 'failed' | 'handed';

/** An account that was made for one payment, without what is personal in it. */
export interface Escrow {
  readonly id: string;
  readonly keyIndex: string;
  readonly orderKey: string;
  readonly network: NetworkId;
  readonly asset: string;
  readonly units: BaseUnits;
  /** The account itself. */
  readonly address: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: EscrowState;
  /** JSON of the refund that was signed and may still move the money; empty without one. */
  readonly refundTrack: string;
  readonly refundUntil: number;
  /** What emptied it, where the chain shows it. */
  readonly transaction: string;
  readonly delivery: Delivery;
  readonly deliveryError: string;
  readonly updatedAt: number;
  /** True once what it held as rent is back with the account that paid, or there was none. */
  readonly rentBack: boolean;
}

/** What is sealed of it. */
export interface EscrowDetails {
  readonly recipient: Recipient;
  readonly memo: string;
}

export type EscrowChange = Partial<Pick<Escrow, 'state' | 'refundTrack' | 'refundUntil' | 'transaction' | 'delivery' | 'deliveryError' | 'rentBack'>> & { readonly nextLook?: number };

/** The payment in the ledger that funds an escrow. */
export interface Funding {
  readonly paymentId: string;
  readonly money: string;
  readonly decision: string;
  /** The account that paid. */
  readonly payer: string;
  /** Whose tokens they were: the payer itself, or the wallet that lets it spend. */
  readonly owner: string;
}

/** Every write is durable when it returns. */
export interface EscrowStore {
  insert(escrow: Pick<Escrow, 'id' | 'keyIndex' | 'orderKey' | 'network' | 'asset' | 'units' | 'address' | 'expiresAt'>, details: EscrowDetails): Promise<Escrow>;
  /** Throws `NOT_FOUND`. */
  get(id: string): Escrow;
  /** The escrow that a payment of the ledger funded, or was to fund. */
  byOrderPayment(paymentId: string): Escrow | undefined;
  /** The newest one that was made for an order and is not paid yet. */
  unpaidOf(orderKey: string): Escrow | undefined;
  /** Newest first; without those that no payment was ever asked for. */
  page(limit: number): readonly Escrow[];
  /** Ids of open ones, and of emptied ones that hold rent, whose turn to be looked at has come, the longest overdue first. */
  due(now: number, limit: number): readonly string[];
  /** How many hold money on a network, or may come to. */
  underWay(network: string): number;
  /** Whom it is for. Throws `WALLET_LOCKED`, and `DATABASE_CORRUPT` where the row is not as it was written. */
  details(id: string): Promise<EscrowDetails>;
  change(id: string, change: EscrowChange): Escrow;
  /** Sets when it is looked at next. Written with others of its kind, at the next {@link due}: nothing is lost with it but a look too many. */
  postpone(id: string, nextLook: number): void;
  /** The newest payment of the ledger to this account, from which alone follows whether it was funded and by whom. */
  funding(escrow: Escrow): Funding | undefined;
}

interface Row {
  readonly id: string;
  readonly key_index: string;
  readonly order_key: string;
  readonly network: string;
  readonly asset: string;
  readonly units: string;
  readonly address: string;
  readonly sealed: Uint8Array;
  readonly created_at: number;
  readonly expires_at: number;
  readonly state: EscrowState;
  readonly refund_track: string;
  readonly refund_until: number;
  readonly transaction_id: string;
  readonly delivery: Delivery;
  readonly delivery_error: string;
  readonly updated_at: number;
  readonly rent_back: number;
}

/** As the index has it. */
const DUE = `(state IN ('created', 'funding', 'funded', 'notified', 'refunding') OR (state IN ('claimed', 'refunded') AND rent_back = 0))`;

export function createEscrowStore(db: Db, clock: Pick<Clock, 'now'>, sealer: Sealer): EscrowStore {
  const insert = db.prepare(
    `INSERT INTO escrows (id, key_index, order_key, network, asset, units, address, sealed, created_at, expires_at, state, updated_at, next_look)
     VALUES (@id, @keyIndex, @orderKey, @network, @asset, @units, @address, @sealed, @now, @expiresAt, 'created', @now, @now)`,
  );
  const one = db.prepare<[string], Row>('SELECT * FROM escrows WHERE id = ?');
  const ofPayment = db.prepare<[string], Row>('SELECT escrows.* FROM escrows JOIN payments ON payments.network = escrows.network AND payments.payee = escrows.address WHERE payments.id = ?');
  const unpaid = db.prepare<[string], Row>(`SELECT * FROM escrows WHERE order_key = ? AND state IN ('created', 'funding') ORDER BY created_at DESC LIMIT 1`);
  const newest = db.prepare<[number], Row>(
    `SELECT * FROM escrows WHERE state NOT IN ('created', 'dead')
       OR EXISTS (SELECT 1 FROM payments WHERE dialect = 'order' AND payments.network = escrows.network AND payee = escrows.address)
     ORDER BY created_at DESC, id LIMIT ?`,
  );
  const due = db.prepare<[number, number], string>(`SELECT id FROM escrows WHERE ${DUE} AND next_look <= ? ORDER BY next_look LIMIT ?`).pluck();
  const update = db.prepare(
    `UPDATE escrows SET state = coalesce(@state, state), refund_track = coalesce(@refundTrack, refund_track), refund_until = coalesce(@refundUntil, refund_until),
       transaction_id = coalesce(@transaction, transaction_id), delivery = coalesce(@delivery, delivery), delivery_error = coalesce(@deliveryError, delivery_error),
       next_look = coalesce(@nextLook, next_look), rent_back = coalesce(@rentBack, rent_back), updated_at = @now WHERE id = @id`,
  );
  const funding = db.prepare<[string, string], Funding>(
    `SELECT id AS paymentId, money, decision, coalesce(payer, '') AS payer, coalesce(CASE WHEN json_valid(track) THEN json_extract(track, '$.delegatedFrom') END, payer, '') AS owner FROM payments WHERE dialect = 'order' AND network = ? AND payee = ? ORDER BY (money IN ('settled', 'outstanding', 'reserved')) DESC, seq DESC LIMIT 1`,
  );
  const underWay = db.prepare<[string], number>(`SELECT count(*) FROM escrows WHERE network = ? AND state IN ('funding', 'funded', 'notified', 'refunding')`).pluck();
  const postponed = new Map<string, number>();
  const delay = db.prepare<[number, string]>('UPDATE escrows SET next_look = ? WHERE id = ?');
  const writePostponed = db.transaction(() => {
    for (const [id, nextLook] of postponed) delay.run(nextLook, id);
    postponed.clear();
  });
  const get = (id: string): Escrow => {
    const row = one.get(id);
    if (!row) throw unknown(id);
    return escrowOf(row);
  };

  return {
    async insert(escrow, details) {
      const sealed = await sealer.seal(JSON.stringify({ ...details, terms: termsText(escrow) }), context(escrow.id));
      insert.run({ ...escrow, units: escrow.units.toString(), sealed, now: clock.now() });
      return get(escrow.id);
    },
    get,
    byOrderPayment(paymentId) {
      const row = ofPayment.get(paymentId);
      return row && escrowOf(row);
    },
    unpaidOf(orderKey) {
      const row = unpaid.get(orderKey);
      return row && escrowOf(row);
    },
    page: (limit) => newest.all(limit).map(escrowOf),
    underWay: (network) => underWay.get(network) ?? 0,
    due(now, limit) {
      if (postponed.size > 0) writePostponed();
      return due.all(now, limit);
    },
    async details(id) {
      const row = one.get(id);
      if (!row) throw unknown(id);
      const { terms, ...details } = JSON.parse(await sealer.open(row.sealed, context(id))) as EscrowDetails & { readonly terms: string };
      // Or the link of one escrow could be sent to the recipient of another.
      if (terms !== termsText(escrowOf(row))) throw new BursarError('DATABASE_CORRUPT', `The escrow ${id} was changed from outside.`, { context: { escrow: id } });
      return details;
    },
    postpone: (id, nextLook) => void postponed.set(id, nextLook),
    change(id, change) {
      if (change.nextLook !== undefined) postponed.delete(id);
      const none = { state: null, refundTrack: null, refundUntil: null, transaction: null, delivery: null, deliveryError: null, nextLook: null, rentBack: null };
      if (update.run({ ...none, ...change, ...(change.rentBack !== undefined && { rentBack: Number(change.rentBack) }), id, now: clock.now() }).changes === 0) throw unknown(id);
      return get(id);
    },
    funding: ({ network, address }) => funding.get(network, address),
  };
}

const escrowOf = (row: Row): Escrow => ({
  id: row.id,
  keyIndex: row.key_index,
  orderKey: row.order_key,
  network: row.network as NetworkId,
  asset: row.asset,
  units: parseBaseUnits(row.units),
  address: row.address,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  state: row.state,
  refundTrack: row.refund_track,
  refundUntil: row.refund_until,
  transaction: row.transaction_id,
  delivery: row.delivery,
  deliveryError: row.delivery_error,
  updatedAt: row.updated_at,
  rentBack: row.rent_back === 1,
});

/** What may not be otherwise in a row than when its recipient was sealed into it. */
const termsText = ({ keyIndex, network, asset, units, address, expiresAt }: Pick<Escrow, 'keyIndex' | 'network' | 'asset' | 'units' | 'address' | 'expiresAt'>): string => JSON.stringify([keyIndex, network, asset, units.toString(), address, expiresAt]);

/** A row that is put in the place of another does not open. */
const context = (id: string): string => `escrow:${id}`;

const unknown = (id: string) => new BursarError('NOT_FOUND', `There is no escrow ${id.slice(0, 60)}.`, { context: { escrow: id.slice(0, 60) } });
