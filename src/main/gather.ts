/** Pieces of up to this length are joined with what is before them. */
const SMALL = 512;

/**
 * Keeps one more piece of a whole, in its order. Small ones are joined ahead: a sender of single bytes would otherwise cost hundreds of bytes for each of
 * them, the object and what it was read into. Every byte is copied about ten times at most, and none of larger pieces.
 */
export function gather<T extends { readonly length: number }>(held: T[], piece: T, join: (pieces: T[]) => T): void {
  let last = piece;
  for (let before = held.at(-1); before !== undefined && last.length <= SMALL && before.length <= last.length; before = held.at(-1)) {
    held.pop();
    last = join([before, last]);
  }
  held.push(last);
}

/** The same for bytes. */
export const gatherBytes = (held: Buffer[], piece: Buffer): void => gather(held, piece, Buffer.concat);

/** The same for a text. */
export const gatherText = (held: string[], piece: string): void => gather(held, piece, (pieces) => pieces.join(''));
