import Database from 'better-sqlite3';
import { z } from 'zod';
import type { Challenge, RailOffer } from './terms.ts';

/** What {@link PaymentStore.claim} found. `busy`: another call holds the key now. */
export type Claim = 'claimed' | 'busy' | 'used';

/** Challenges and what was paid with. Two processes may share one. */
export interface PaymentStore {
  /** Keeps a challenge until it is of no use any more. */
  put(challenge: Challenge, now: number): void;
  challenge(id: string): Challenge | undefined;
  /** Takes a key for one sale. The hold ends by itself at `until`, for a seller may die in between. */
  claim(key: string, now: number, until: number): Claim;
  /** Gives a key back that nothing was bought with. */
  release(key: string): void;
  /** Marks a key as used for ever, and remembers who bought. */
  consume(key: string, payer: string, now: number): void;
  /** How many sales a payer got since a time. */
  salesTo(payer: string, since: number): number;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS challenges (id TEXT PRIMARY KEY, body TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, used INTEGER NOT NULL, until INTEGER NOT NULL, payer TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS claims_by_payer ON claims (payer, at);
`;
const KEPT_AFTER_EXPIRY_MS = 86_400_000;

const bodySchema = z.object({
  id: z.string(),
  product: z.object({ name: z.string(), url: z.string(), description: z.string(), mimeType: z.string() }),
  argumentsDigest: z.string(),
  price: z.object({ units: z.string().transform(BigInt), decimals: z.number(), currency: z.string() }),
  offers: z.array(z.custom<RailOffer>((value) => z.object({ rail: z.string(), network: z.string(), payTo: z.string(), terms: z.looseObject({}) }).safeParse(value).success)),
  expiresAt: z.number(),
});

const claimRow = z.object({ used: z.number(), until: z.number() }).optional();
const bodyRow = z.object({ body: z.string() }).optional();
const countRow = z.object({ count: z.number() });

/** A store in an SQLite file; without a path it lives as long as the process. */
export function openPaymentStore(path = ':memory:'): PaymentStore {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('busy_timeout = 5000');
  database.exec(SCHEMA);
  const sql = {
    forget: database.prepare('DELETE FROM challenges WHERE expires_at < ?'),
    put: database.prepare('INSERT INTO challenges (id, body, expires_at) VALUES (?, ?, ?)'),
    challenge: database.prepare('SELECT body FROM challenges WHERE id = ?'),
    claimed: database.prepare('SELECT used, until FROM claims WHERE key = ?'),
    claim: database.prepare("INSERT INTO claims (key, used, until, payer, at) VALUES (?, 0, ?, '', ?) ON CONFLICT (key) DO UPDATE SET until = excluded.until, at = excluded.at"),
    release: database.prepare('DELETE FROM claims WHERE key = ? AND used = 0'),
    consume: database.prepare('INSERT INTO claims (key, used, until, payer, at) VALUES (?, 1, 0, ?, ?) ON CONFLICT (key) DO UPDATE SET used = 1, payer = excluded.payer, at = excluded.at'),
    sales: database.prepare('SELECT count(*) AS count FROM claims WHERE used = 1 AND payer = ? AND at >= ?'),
  };
  const claim = database.transaction((key: string, now: number, until: number): Claim => {
    const row = claimRow.parse(sql.claimed.get(key));
    if (row?.used === 1) return 'used';
    if (row && row.until > now) return 'busy';
    sql.claim.run(key, until, now);
    return 'claimed';
  });
  return {
    put: (challenge, now) => {
      const body = JSON.stringify({ ...challenge, price: { ...challenge.price, units: challenge.price.units.toString() } });
      sql.forget.run(now - KEPT_AFTER_EXPIRY_MS);
      sql.put.run(challenge.id, body, challenge.expiresAt);
    },
    challenge: (id) => {
      const row = bodyRow.parse(sql.challenge.get(id));
      return row && bodySchema.parse(JSON.parse(row.body));
    },
    claim: (key, now, until) => claim.immediate(key, now, until),
    release: (key) => void sql.release.run(key),
    consume: (key, payer, now) => void sql.consume.run(key, payer, now),
    salesTo: (payer, since) => countRow.parse(sql.sales.get(payer, since)).count,
    close: () => void database.close(),
  };
}
