import { cleanText } from '../../shared/text/clean-text.ts';
import type { PlainObject } from './plain-json.ts';

const MAX_CHARACTERS = 32_768;
const MAX_WORDS = 1_000;
/** Members that people and agents read as sentences. */
const WORDS = new Set(['title', 'description', '$comment']);
/** Only what stands in the schema itself is ever looked up. */
const OWN_REFERENCE = /^#(?:\/(?:\$defs|definitions)\/.*)?$/;

/**
 * A stranger's JSON Schema as text that may be handed on: its sentences cleaned, all else as it was published. None where it is too large, refers to what
 * is not in it, or hides characters where a sentence would not stand.
 */
export function safeSchema(schema: PlainObject): { readonly schemaText: string; readonly problem: string } {
  try {
    const text = JSON.stringify(cleaned(schema, ''));
    return text.length > MAX_CHARACTERS ? unusable('its schema is too large') : { schemaText: text, problem: '' };
  } catch (error) {
    if (error instanceof Unusable) return unusable(error.message);
    throw error;
  }
}

class Unusable extends Error {}

const unusable = (problem: string) => ({ schemaText: '', problem });

/** Entries were found shallow before, so that recursion is bounded. */
function cleaned(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    if (WORDS.has(key)) return cleanText(value, MAX_WORDS);
    if ((key === '$ref' || key === '$dynamicRef') && !OWN_REFERENCE.test(value)) throw new Unusable('its schema refers to something outside of it');
    requireSeen(value);
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => cleaned(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // A name that a validator would remember beyond this one schema.
      .filter(([name]) => name !== '$id' && name !== 'id' || typeof (value as PlainObject)[name] !== 'string')
      .map(([name, item]) => {
        requireSeen(name);
        return [name, cleaned(item, name)];
      }),
  );
}

function requireSeen(text: string): void {
  if (text.length > MAX_CHARACTERS) throw new Unusable('its schema is too large');
  if (cleanText(text, MAX_CHARACTERS) !== text) throw new Unusable('its schema hides characters');
}
