import { BursarError } from '../../../shared/errors/errors.ts';

/** Where in what kind of file a client keeps its servers. */
export interface ConfigShape {
  readonly format: 'json' | 'jsonc' | 'toml';
  /** The member of the document that holds them by name. */
  readonly key: string;
}

export type Entries = Readonly<Record<string, unknown>>;

/**
 * How a format is read and edited. Texts have no byte order mark. Edits keep every byte outside of the entry, and may fail silently on
 * a text that is written in a way they do not know: whoever edits reads the result and compares.
 */
export interface ConfigFormat {
  /** The whole document. Throws `CLIENT_CONFIG_MALFORMED`. */
  read(text: string): Readonly<Record<string, unknown>>;
  /** A new document. */
  write(key: string, entries: Entries): string;
  /** Adds an entry, or replaces the one of that name. */
  set(text: string, key: string, name: string, entry: unknown): string;
  /** Removes an entry with what {@link ConfigFormat.set} put around it. */
  remove(text: string, key: string, name: string): string;
  /** Where an entry stands, for a swap of its bytes; undefined where it is not all in one place. */
  span(text: string, key: string, name: string): Span | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where in a text something is wrong; both from 1, columns in characters of the line. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export const placeOf = (text: string, offset: number): Place => {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** `reason` goes on after "The client's configuration"; it stands in the context too, for who reads another kind of text with these parsers. */
export const malformed = (reason: string, place?: Place): BursarError => {
  const words = place ? `${reason} at line ${place.line}, column ${place.column}` : reason;
  return new BursarError('CLIENT_CONFIG_MALFORMED', `The client's configuration ${words}.`, { context: { reason: words, ...(place && { line: String(place.line), column: String(place.column) }) } });
};
