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

export const malformed = (reason: string): BursarError => new BursarError('CLIENT_CONFIG_MALFORMED', `The client's configuration ${reason}.`);
