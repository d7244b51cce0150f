import type { Clock, Track } from '../../../core/ports.ts';
import type { DelegationTerms } from '../../rails/delegation-terms.ts';
import type { Db } from './database.ts';

/** `signed`: journaled, and nobody knows yet whether it lands. `dead`: it failed or expired, for good. */
export type DelegationState = 'signed' | 'confirmed' | 'final' | 'dead';

/** An approval of spending, or its end, that Bursar signed. */
export interface StoredDelegation extends DelegationTerms {
  readonly seq: number;
  /** What the owner said yes to, once: one transaction and no other was made for it. */
  readonly act: string;
  /** Who could spend what before; empty and 0 where nobody could. */
  readonly replacedDelegate: string;
  readonly replacedAmount: bigint;
  /** The signed bytes (base64); what is sent again after a crash is these. */
  readonly wire: string;
  readonly track: Track;
  readonly transaction: string;
  readonly state: DelegationState;
  readonly why: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewDelegation = Omit<StoredDelegation, 'seq' | 'state' | 'why' | 'createdAt' | 'updatedAt'>;

export interface DelegationStore {
  /** Durable (fsync) when this returns (I4). */
  add(delegation: NewDelegation): StoredDelegation;
  get(act: string): StoredDelegation | undefined;
  move(act: string, state: DelegationState, why: string): void;
  /** What may still change on the chain, oldest first. */
  open(): readonly StoredDelegation[];
  /** Newest first. */
  list(limit: number): readonly StoredDelegation[];
  /** The newest of a token account that landed. */
  lastLanded(of: Pick<DelegationTerms, 'network' | 'asset' | 'owner'>): StoredDelegation | undefined;
}

type Row = Omit<StoredDelegation, 'amount' | 'replacedAmount' | 'track'> & { readonly amount: string; readonly replacedAmount: string; readonly track: string };

const COLUMNS =
  'seq, act, kind, network, asset, owner, delegate, amount, replaced_delegate AS replacedDelegate, replaced_amount AS replacedAmount, wire, track, tx AS "transaction", state, why, created_at AS createdAt, updated_at AS updatedAt';

export function createDelegationStore(db: Db, clock: Pick<Clock, 'now'>): DelegationStore {
  const insert = db.prepare<[Omit<Row, 'seq' | 'state' | 'why' | 'updatedAt'>]>(
    `INSERT INTO delegations (act, kind, network, asset, owner, delegate, amount, replaced_delegate, replaced_amount, wire, track, tx, state, created_at, updated_at)
     VALUES (@act, @kind, @network, @asset, @owner, @delegate, @amount, @replacedDelegate, @replacedAmount, @wire, @track, @transaction, 'signed', @createdAt, @createdAt)`,
  );
  const one = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM delegations WHERE act = ?`);
  const newest = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM delegations ORDER BY seq DESC LIMIT ?`);
  const open = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM delegations WHERE state IN ('signed', 'confirmed') ORDER BY seq`);
  const landed = db.prepare<[string, string, string], Row>(
    `SELECT ${COLUMNS} FROM delegations WHERE network = ? AND asset = ? AND owner = ? AND state IN ('confirmed', 'final') ORDER BY seq DESC LIMIT 1`,
  );
  const update = db.prepare<[DelegationState, string, number, string]>('UPDATE delegations SET state = ?, why = ?, updated_at = ? WHERE act = ?');

  const get = (act: string): StoredDelegation | undefined => {
    const row = one.get(act);
    return row && delegationOf(row);
  };
  return {
    add(delegation) {
      const { amount, replacedAmount, track } = delegation;
      insert.run({ ...delegation, amount: amount.toString(), replacedAmount: replacedAmount.toString(), track: JSON.stringify(track), createdAt: clock.now() });
      const added = get(delegation.act);
      if (!added) throw new Error('a row that was written cannot be read');
      return added;
    },
    get,
    move: (act, state, why) => void update.run(state, why, clock.now(), act),
    open: () => open.all().map(delegationOf),
    list: (limit) => newest.all(limit).map(delegationOf),
    lastLanded({ network, asset, owner }) {
      const row = landed.get(network, asset, owner);
      return row && delegationOf(row);
    },
  };
}

const delegationOf = (row: Row): StoredDelegation => ({ ...row, amount: BigInt(row.amount), replacedAmount: BigInt(row.replacedAmount), track: JSON.parse(row.track) as Track });
