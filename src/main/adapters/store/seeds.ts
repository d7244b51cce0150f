import type { Db } from './database.ts';

/** The wallet's own seed, which it made or was restored from. Every other has a random id. */
export const MAIN_SEED = 'main';

/** What is known of a seed without opening it. */
export interface Seed {
  readonly id: string;
  readonly label: string;
  /** How many BIP-39 words it has. */
  readonly words: number;
  readonly addedAt: number;
  /** When its words were last shown to the owner; absent where they never were. */
  readonly revealedAt?: number;
}

export interface SeedStore {
  /** The wallet's own first, then as they were added. */
  list(): readonly Seed[];
  /** Adds a seed unless its id is there already. */
  add(seed: Seed): void;
  setRevealed(id: string, at: number): void;
  remove(id: string): void;
}

type Row = Omit<Seed, 'revealedAt'> & { readonly revealedAt: number | null };

export function createSeeds(db: Db): SeedStore {
  const all = db.prepare<[string], Row>('SELECT id, label, words, added_at AS addedAt, revealed_at AS revealedAt FROM seeds ORDER BY id <> ?, rowid');
  const insert = db.prepare<[Omit<Row, 'revealedAt'>]>('INSERT INTO seeds (id, label, words, added_at) VALUES (@id, @label, @words, @addedAt) ON CONFLICT (id) DO NOTHING');
  const reveal = db.prepare<[number, string]>('UPDATE seeds SET revealed_at = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM seeds WHERE id = ?');
  return {
    list: () => all.all(MAIN_SEED).map(({ revealedAt, ...seed }) => ({ ...seed, ...(revealedAt !== null && { revealedAt }) })),
    add: ({ id, label, words, addedAt }) => void insert.run({ id, label, words, addedAt }),
    setRevealed: (id, at) => void reveal.run(at, id),
    remove: (id) => void remove.run(id),
  };
}
