import { createHash } from 'node:crypto';
import type { Db } from './database.ts';

/** A passkey of the owner (WebAuthn credential). */
export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** COSE. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** How often it was used, as it says itself; many stay at 0. */
  readonly counter: number;
  /** How it can be reached: hints for the browser. */
  readonly transports: readonly string[];
  readonly label: string;
  readonly createdAt: number;
  readonly usedAt?: number;
}

/** What stands in the policy for a passkey: it binds id and public key (SHA-256, hex). */
export const fingerprintOf = ({ id, publicKey }: Pick<Passkey, 'id' | 'publicKey'>): string =>
  createHash('sha256').update('bursar passkey 1\0').update(id).update('\0').update(publicKey).digest('hex');

/** Rows of passkeys. Which of them count, the policy says: whoever may write this table gains nothing by it. */
export interface PasskeyStore {
  /** Oldest first. */
  list(): readonly Passkey[];
  /** Puts a passkey in the place of any of the same id. */
  put(passkey: Passkey): void;
  /** After it was used. */
  used(id: string, counter: number, at: number): void;
  remove(id: string): void;
}

interface Row {
  readonly id: string;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: string;
  readonly label: string;
  readonly created_at: number;
  readonly used_at: number | null;
}

export function createPasskeyStore(db: Db): PasskeyStore {
  const all = db.prepare<[], Row>('SELECT * FROM passkeys ORDER BY created_at, id');
  const put = db.prepare<[Row]>('INSERT OR REPLACE INTO passkeys (id, public_key, counter, transports, label, created_at, used_at) VALUES (@id, @public_key, @counter, @transports, @label, @created_at, @used_at)');
  const used = db.prepare<[number, number, string]>('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM passkeys WHERE id = ?');
  return {
    list: () => all.all().map(passkeyOfRow),
    put({ id, publicKey, counter, transports, label, createdAt, usedAt }) {
      put.run({ id, public_key: Buffer.from(publicKey), counter, transports: JSON.stringify(transports), label, created_at: createdAt, used_at: usedAt ?? null });
    },
    used: (id, counter, at) => void used.run(counter, at, id),
    remove: (id) => void remove.run(id),
  };
}

const passkeyOfRow = ({ id, public_key: publicKey, counter, transports, label, created_at: createdAt, used_at: usedAt }: Row): Passkey => ({
  id,
  publicKey: new Uint8Array(publicKey),
  counter,
  transports: JSON.parse(transports) as string[],
  label,
  createdAt,
  ...(usedAt !== null && { usedAt }),
});
