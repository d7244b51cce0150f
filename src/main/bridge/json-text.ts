import { BursarError } from '../../shared/errors/errors.ts';

/** A half-open range of UTF-16 positions in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const WORDS = ['true', 'false', 'null'];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Most strings are keys and short; from here on the engine's own search is several times as fast as a loop. */
const LONG_STRING = 32;
/** Within a string: what needs no look one by one. So many escapes at once, because the engine remembers the place of each. */
const INNER = /[^\u0000-\u001f"\\]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^\u0000-\u001f"\\]*){0,32}/y;

/** @throws {BursarError} JSON_INVALID, always; `position` tells where. The text itself is never quoted. */
export function notJson(position: number): never {
  throw new BursarError('JSON_INVALID', `The message is not JSON at position ${position}.`, { context: { position: String(position) } });
}

/** The first position at or after `at` that is not JSON whitespace. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i;
    i++;
  }
}

/** The end of the string literal that starts at `at`. */
function skipString(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) notJson(at);
  const long = at + LONG_STRING;
  for (let i = at + 1; i < long; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) return i + 1;
    // NaN, past the end, fails this comparison too.
    if (!(c >= 0x20)) notJson(i);
    if (c === BACKSLASH) return skipLongString(text, i);
  }
  return skipLongString(text, long);
}

/** The same from within the literal, in front of an escape or of a character that is none. */
function skipLongString(text: string, within: number): number {
  let i = within;
  for (;;) {
    INNER.lastIndex = i;
    INNER.test(text);
    const next = INNER.lastIndex;
    const c = text.charCodeAt(next);
    if (c === QUOTE) return next + 1;
    // An escape that is wrong is told by the character after the backslash.
    if (next === i) notJson(c === BACKSLASH ? next + 1 : next);
    i = next;
  }
}

function skipScalar(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return skipString(text, at);
  for (const word of WORDS) if (text.startsWith(word, at)) return at + word.length;
  NUMBER.lastIndex = at;
  if (!NUMBER.test(text)) notJson(at);
  return NUMBER.lastIndex;
}

/** From the start of a member's key to the start of its value. */
function skipKey(text: string, at: number): number {
  const colon = skipSpace(text, skipString(text, at));
  if (text.charCodeAt(colon) !== COLON) notJson(colon);
  return skipSpace(text, colon + 1);
}

/**
 * The end of the JSON value that starts at `at`, checked to the full grammar. Linear in time; the containers still open
 * are kept on the heap, so depth cannot overflow the stack.
 *
 * @throws {BursarError} JSON_INVALID
 */
export function skipValue(text: string, at: number): number {
  const closers: number[] = [];
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      const closer = c + 2;
      i = skipSpace(text, i + 1);
      if (text.charCodeAt(i) !== closer) {
        closers.push(closer);
        if (closer === CLOSE_BRACE) i = skipKey(text, i);
        continue;
      }
      i++;
    } else {
      i = skipScalar(text, i);
    }
    for (;;) {
      const closer = closers.at(-1);
      if (closer === undefined) return i;
      i = skipSpace(text, i);
      const next = text.charCodeAt(i++);
      if (next === COMMA) {
        i = skipSpace(text, i);
        if (closer === CLOSE_BRACE) i = skipKey(text, i);
        break;
      }
      if (next !== closer) notJson(i - 1);
      closers.pop();
    }
  }
}

/**
 * Walks the members of the object that starts at `at`. `visit` gets the decoded key, the key's start and the value's
 * start, and returns the value's end. Returns the object's end.
 *
 * @throws {BursarError} JSON_INVALID
 */
export function walkObject(text: string, at: number, visit: (key: string, keyStart: number, valueStart: number) => number): number {
  if (text.charCodeAt(at) !== OPEN_BRACE) notJson(at);
  let i = skipSpace(text, at + 1);
  if (text.charCodeAt(i) === CLOSE_BRACE) return i + 1;
  for (;;) {
    const keyStart = i;
    const keyEnd = skipString(text, keyStart);
    const colon = skipSpace(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) notJson(colon);
    i = skipSpace(text, visit(decodeString(text, keyStart, keyEnd), keyStart, skipSpace(text, colon + 1)));
    const next = text.charCodeAt(i);
    if (next === CLOSE_BRACE) return i + 1;
    if (next !== COMMA) notJson(i);
    i = skipSpace(text, i + 1);
  }
}

/** Walks the elements of the array that starts at `at`; `visit` returns each element's end. Returns the array's end. */
export function walkArray(text: string, at: number, visit: (valueStart: number) => number): number {
  if (text.charCodeAt(at) !== OPEN_BRACKET) notJson(at);
  let i = skipSpace(text, at + 1);
  if (text.charCodeAt(i) === CLOSE_BRACKET) return i + 1;
  for (;;) {
    i = skipSpace(text, visit(i));
    const next = text.charCodeAt(i);
    if (next === CLOSE_BRACKET) return i + 1;
    if (next !== COMMA) notJson(i);
    i = skipSpace(text, i + 1);
  }
}

/** The value of a string literal that {@link skipString} has accepted. */
function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

/** The string that a span holds, or `undefined` where it holds another kind of value. */
export function stringAt(text: string, span: Span | undefined): string | undefined {
  if (span === undefined || text.charCodeAt(span.start) !== QUOTE) return undefined;
  return decodeString(text, span.start, span.end);
}

/** The raw text of a span. */
export const textAt = (text: string, span: Span): string => text.slice(span.start, span.end);

/** The value of a member, of a repeated one the last; undefined where there is none, or no object. */
export function childOf(text: string, object: Span | undefined, key: string): Span | undefined {
  if (object === undefined || text.charCodeAt(object.start) !== OPEN_BRACE) return undefined;
  let found: Span | undefined;
  walkObject(text, object.start, (name, _keyStart, start) => {
    const end = skipValue(text, start);
    if (name === key) found = { start, end };
    return end;
  });
  return found;
}
