import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { ChainHead } from './chain.ts';
import type { UseSum } from './use-set.ts';
import type { Db } from './database.ts';
import type { PolicyHead } from './policy-chain.ts';

/** What the wallet's MAC stands for: the ledger, policy and clock as one run of Bursar left them. */
export interface Checkpoint {
  /** Random bytes of the run that wrote it; the key of that run derives from them. */
  readonly epoch: Buffer;
  readonly head: ChainHead;
  readonly policy: PolicyHead;
  /** Milliseconds since the epoch. */
  readonly highWater: number;
  /** Uses of budget from this instant on are in the sum (ms): older ones are in no window any more. */
  readonly usesSince: number;
}

interface Row {
  readonly epoch: Buffer;
  readonly seq: number;
  readonly hash: Buffer;
  readonly policy_number: number;
  readonly policy_hash: Buffer;
  readonly high_water: number;
  readonly uses_mac: Buffer;
  readonly uses_since: number;
  readonly mac: Buffer;
}

/** A checkpoint as the file has it, to be compared under the key of its run. */
export interface StoredCheckpoint extends Checkpoint {
  /** Whether the wallet wrote it. */
  isOf(key: KeyObject): boolean;
  /** Whether the counters stood at this sum when it was written. */
  holdsUses(key: KeyObject, sum: UseSum): boolean;
}

const hmac = (key: KeyObject, ...fields: readonly (string | number)[]): Buffer => createHmac('sha256', key).update(JSON.stringify(fields)).digest();

const usesMac = (key: KeyObject, seq: number, sum: UseSum): Buffer => hmac(key, 'counters', seq, sum.toString(16));

/** A checkpoint from before `uses_since` is over all uses, as one where it is 0. */
const checkpointMac = (key: KeyObject, row: Omit<Row, 'mac'>): Buffer =>
  hmac(key, 'checkpoint', row.epoch.toString('hex'), row.seq, row.hash.toString('hex'), row.policy_number, row.policy_hash.toString('hex'), row.high_water, row.uses_mac.toString('hex'), ...(row.uses_since === 0 ? [] : [row.uses_since]));

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/** The one checkpoint of a database. */
export function createCheckpoints(db: Db) {
  const select = db.prepare<[], Row>('SELECT * FROM ledger_checkpoint');
  const replace = db.prepare<[Row & { readonly one: 1 }]>(
    `INSERT OR REPLACE INTO ledger_checkpoint (one, epoch, seq, hash, policy_number, policy_hash, high_water, uses_mac, uses_since, mac)
     VALUES (@one, @epoch, @seq, @hash, @policy_number, @policy_hash, @high_water, @uses_mac, @uses_since, @mac)`,
  );
  return {
    read(): StoredCheckpoint | undefined {
      const row = select.get();
      if (!row) return undefined;
      return {
        epoch: row.epoch,
        head: { seq: row.seq, hash: row.hash },
        policy: { number: row.policy_number, hash: row.policy_hash },
        highWater: row.high_water,
        usesSince: row.uses_since,
        isOf: (key) => same(row.mac, checkpointMac(key, row)),
        holdsUses: (key, sum) => same(row.uses_mac, usesMac(key, row.seq, sum)),
      };
    },
    write(key: KeyObject, { epoch, head, policy, highWater, usesSince }: Checkpoint, sum: UseSum): void {
      const row = {
        epoch,
        seq: head.seq,
        hash: head.hash,
        policy_number: policy.number,
        policy_hash: policy.hash,
        high_water: highWater,
        uses_mac: usesMac(key, head.seq, sum),
        uses_since: usesSince,
      };
      replace.run({ one: 1, ...row, mac: checkpointMac(key, row) });
    },
  };
}

const same = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
