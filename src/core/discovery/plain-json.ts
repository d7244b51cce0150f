/** JSON of a stranger as `JSON.parse` gives it: nothing is paid by it, so long numbers may be rounded. */
export type PlainObject = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is PlainObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own members alone: a key such as `constructor` is not there unless it was sent. */
export const own = (value: unknown, key: string): unknown => (isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);

/** The first of these members that is there. */
export function firstOf(value: unknown, keys: readonly string[]): unknown {
  const key = keys.find((candidate) => own(value, candidate) !== undefined && own(value, candidate) !== null);
  return key === undefined ? undefined : own(value, key);
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** True where a value is nested no deeper than this. Without recursion, so that no depth can break it. */
export function isShallow(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}
