import { randomUUID } from 'node:crypto';
import { stringAt, textAt, type Span } from './json-text.ts';

/**
 * The key under which an id is remembered. A number and a string never meet; spellings of one safe integer (`1`, `1.0`)
 * do, because servers that parse and print change them. Larger numbers are compared as they are written.
 */
export function idKey(text: string, id: Span): string {
  const string = stringAt(text, id);
  if (string !== undefined) return `s:${string}`;
  const raw = textAt(text, id);
  const number = Number(raw);
  return raw !== 'null' && Number.isSafeInteger(number) ? `n:${number}` : `n:${raw}`;
}

/** A request id of Bursar's own. Clients cannot have the same one by accident. */
export const freshId = (): string => `bursar-${randomUUID()}`;
