import type { Json } from '../json/json.ts';

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Milliseconds of an RFC 3339 time; undefined where the value is none. */
export function timeOf(source: Json | undefined): number | undefined {
  const time = typeof source === 'string' && RFC3339.test(source) ? Date.parse(source) : NaN;
  return Number.isFinite(time) && time >= 0 ? time : undefined;
}
