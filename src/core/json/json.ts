import { BursarError } from '../../shared/errors/errors.ts';

/** A number literal that would be written otherwise than it was read, kept as it stood: long integers, `1.0`, `1e3`. */
export class RawNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A parsed JSON value that loses nothing: objects are maps in source order, numbers keep their digits. */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

const MAX_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** A shorter piece of a text is a copy; a longer one would keep the whole text in memory. */
const COPIED_LENGTH = 13;

/**
 * Parses a payment message strictly. Beyond RFC 8259 it refuses duplicate keys, because two parsers could read them differently
 * (design, "The pump"), and nesting over 64 levels. Throws `JSON_INVALID`.
 */
export function parseJson(text: string): Json {
  let at = 0;

  const fail = (why: string): never => {
    throw new BursarError('JSON_INVALID', `The JSON text ${why} at position ${at}.`, { context: { position: String(at) } });
  };
  const skipSpace = () => {
    for (let code = text.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; code = text.charCodeAt(at)) at++;
  };
  const token = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  const word = <T extends Json>(literal: string, value: T): T => {
    if (!text.startsWith(literal, at)) fail('has an unknown word');
    at += literal.length;
    return value;
  };
  const string = (): string => {
    const start = at;
    if (text.charCodeAt(at) !== QUOTE) fail('lacks a string');
    let plain = true;
    // By hand and not by one pattern: a pattern with alternatives runs out of stack on a string of some megabytes.
    for (let code = text.charCodeAt(++at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code >= 0x20 && code !== BACKSLASH) continue;
      if (at >= text.length) fail('ends inside a string');
      plain = false;
      if (code === BACKSLASH) at++;
    }
    at++;
    if (plain && at - start < COPIED_LENGTH) return text.slice(start + 1, at - 1);
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      at = start;
      return fail('has a broken string');
    }
  };

  const object = (depth: number): JsonObject => {
    const members = new Map<string, Json>();
    at++;
    skipSpace();
    if (text.charCodeAt(at) === CLOSE_BRACE) return at++, members;
    for (;;) {
      skipSpace();
      const key = string();
      if (members.has(key)) fail(`repeats the key "${key.slice(0, 40)}"`);
      skipSpace();
      if (text.charCodeAt(at) !== COLON) fail('lacks a colon');
      at++;
      members.set(key, value(depth + 1));
      if (text.charCodeAt(at) === CLOSE_BRACE) return at++, members;
      if (text.charCodeAt(at) !== COMMA) fail('lacks a comma or closing brace');
      at++;
    }
  };
  const array = (depth: number): Json[] => {
    const items: Json[] = [];
    at++;
    skipSpace();
    if (text.charCodeAt(at) === CLOSE_BRACKET) return at++, items;
    for (;;) {
      items.push(value(depth + 1));
      if (text.charCodeAt(at) === CLOSE_BRACKET) return at++, items;
      if (text.charCodeAt(at) !== COMMA) fail('lacks a comma or closing bracket');
      at++;
    }
  };
  const value = (depth: number): Json => {
    if (depth > MAX_DEPTH) fail('is nested too deeply');
    skipSpace();
    const parsed = scalarOrContainer(depth);
    skipSpace();
    return parsed;
  };
  const scalarOrContainer = (depth: number): Json => {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
        return object(depth);
      case OPEN_BRACKET:
        return array(depth);
      case QUOTE:
        return string();
      case 0x74:
        return word('true', true);
      case 0x66:
        return word('false', false);
      case 0x6e:
        return word('null', null);
      default:
        return exactNumber(token(NUMBER) ?? fail('has an unexpected character'));
    }
  };

  const parsed = value(0);
  if (at !== text.length) fail('goes on after its end');
  return parsed;
}

/** A number where writing it again gives the same digits, else the digits. */
function exactNumber(source: string): number | RawNumber {
  const number = Number(source);
  return String(number) === source ? number : new RawNumber(source);
}

/** True for an integer literal that a JavaScript number would round. */
export const isLongInteger = (source: string): boolean => /^-?\d+$/.test(source) && !Number.isSafeInteger(Number(source));

/** True for a parsed JSON object. */
export const isObject = (value: Json | undefined): value is JsonObject => value instanceof Map;

/** Member of an object, or undefined where the value is no object or has none such. */
export const member = (value: Json | undefined, key: string): Json | undefined => (isObject(value) ? value.get(key) : undefined);

/** Writes a value in source order, numbers with the digits that they were read with. */
export function stringifyJson(value: Json): string {
  if (value instanceof RawNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  if (isObject(value)) return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${stringifyJson(item)}`).join(',')}}`;
  return JSON.stringify(value);
}

/** The plain JavaScript form. Integers beyond 2^53 become their digits as a string; `__proto__` stays an own key. */
export function toPlain(value: Json): unknown {
  if (value instanceof RawNumber) return isLongInteger(value.source) ? value.source : Number(value.source);
  if (Array.isArray(value)) return value.map(toPlain);
  if (isObject(value)) {
    const plain: Record<string, unknown> = {};
    for (const [key, item] of value) Object.defineProperty(plain, key, { value: toPlain(item), enumerable: true, writable: true, configurable: true });
    return plain;
  }
  return value;
}
