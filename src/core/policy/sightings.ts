import { findReferences, type SeenIn } from './provenance.ts';

/** References kept at a time; with one more, everything that is not kept counts as seen. */
const MOST_KEPT = 20_000;

/** A sighting counts for this long. */
const KEPT_MS = 24 * 3_600_000;

/** Longest reference that is kept whole; a longer one is compared by its beginning. */
const MOST_CHARACTERS = 300;

/** Addresses and web addresses that servers told one client's agent of. Bounded, and strict where the bound is reached. */
export interface Sightings {
  /** Takes in a text of a server. `where` names it, and is asked where the text refers to anything new: `a result of tool "search" of server "web"`. */
  note(text: string, where: () => string): void;
  readonly seenIn: SeenIn;
}

export function createSightings(now: () => number): Sightings {
  const seen = new Map<string, { readonly where: string; readonly at: number }>();
  let full = false;

  const forgetOld = () => {
    const oldest = now() - KEPT_MS;
    for (const [reference, { at }] of seen) if (at < oldest) seen.delete(reference);
  };

  return {
    note(text, where) {
      let place: string | undefined;
      for (const reference of findReferences(text)) {
        const key = reference.slice(0, MOST_CHARACTERS);
        if (seen.has(key)) continue;
        if (seen.size >= MOST_KEPT) forgetOld();
        full = seen.size >= MOST_KEPT;
        if (full) return;
        seen.set(key, { where: (place ??= where()), at: now() });
      }
    },
    seenIn(reference) {
      const found = seen.get(reference.slice(0, MOST_CHARACTERS))?.where;
      return found ?? (full ? 'perhaps one of the many server texts of today, more than can be remembered' : '');
    },
  };
}
