import type { Random } from './random.ts';

/** Values that break assumptions, as JSON text. */
const NASTY = [
  'null', 'true', 'false', '0', '-0', '-1', '1.0', '1e3', '1e400', '-1e-400', '9007199254740993', '18446744073709551616', '0.1', '""', '"0"', '"-1"', '"1e4"', '"0x10"', '" 1"', '"01"', '[]', '{}', '[[]]', '[null]',
  '{"__proto__":{"a":1}}', '{"constructor":1}', '{"toString":null}', '"__proto__"', '"constructor"', '"\\u0000"', '"\\ud800"', '"\\u202e"', '"\\u200b"', '"\u{1F600}"', '"USD\u0421"', '"eip155:84532"', '"eip155:0"', '"eip155:1"', '"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"',
  '"0x0000000000000000000000000000000000000000"', '"9999-12-31T23:59:59Z"', '"-000001-01-01T00:00:00Z"', '"Payment id=\\"a\\""', '402', '-32042', '-32001', '-32043', '-32002', '2', '1', '"1"', `"${'9'.repeat(78)}"`, `"${'9'.repeat(79)}"`, `"${'a'.repeat(2000)}"`, `${'['.repeat(80)}${']'.repeat(80)}`, `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
];
const KEYS = ['x402Version', 'accepts', 'amount', 'maxAmountRequired', 'payTo', 'asset', 'network', 'scheme', 'extra', 'maxTimeoutSeconds', 'isError', 'structuredContent', 'content', '_meta', 'error', 'data', 'code', 'message', 'result', 'id', '__proto__', 'challenges', 'request', 'mpx/v1.challenge', 'x402/error', 'x402', 'resource', 'text', 'type', 'window', 'unit', 'rules', 'caps'];
const CHARACTERS = ['"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', '\r', '\t', '\0', '\u2028', '\ud800', '\ufeff', '0', '9', '-', 'e', '.', '=', '%', '/', 'é', '💸'];

/** A text made from a seed, another seed, or nothing at all. */
export function mutated(random: Random, seeds: readonly string[]): string {
  if (random.chance(0.05)) return noise(random);
  let text = random.pick(seeds);
  // What is no JSON any more ends at the first parser, so that most runs keep to what still is.
  const breaking = random.chance(0.2);
  for (let steps = 1 + random.below(4); steps > 0; steps--) text = !breaking || random.chance(0.5) ? mutateStructure(random, text, seeds) : mutateText(random, text);
  return text.slice(0, 200_000);
}

function noise(random: Random): string {
  const bytes = Uint8Array.from({ length: random.below(400) }, () => random.below(256));
  return Buffer.from(bytes).toString(random.chance(0.5) ? 'latin1' : 'utf8');
}

/** Replaces, removes, repeats or moves one value or member. Works on the text, so that it can also make what no serializer writes. */
function mutateStructure(random: Random, text: string, seeds: readonly string[]): string {
  const spans = valueSpans(text);
  if (spans.length === 0) return mutateText(random, text);
  const [start, end] = random.pick(spans);
  const replace = (value: string) => text.slice(0, start) + value + text.slice(end);
  if (/^\s*:/.test(text.slice(end, end + 4))) return replace(JSON.stringify(random.pick(KEYS)));
  switch (random.below(7)) {
    case 0:
    case 1:
      return replace(random.pick(NASTY));
    case 2: {
      const [from, to] = random.pick(spans);
      return replace(text.slice(from, to));
    }
    case 3: {
      const other = random.pick(seeds);
      const others = valueSpans(other);
      if (others.length === 0) return replace(random.pick(NASTY));
      const [from, to] = random.pick(others);
      return replace(other.slice(from, to));
    }
    case 4:
      return text[start] === '{' && end - start > 2 ? `${text.slice(0, start + 1)}${JSON.stringify(random.pick(KEYS))}:${random.pick(NASTY)},${text.slice(start + 1)}` : replace(`{${JSON.stringify(random.pick(KEYS))}:${text.slice(start, end)}}`);
    case 5:
      return replace(JSON.stringify(text.slice(start, end)));
    default: {
      const depth = random.below(100);
      return replace('['.repeat(depth) + text.slice(start, end) + ']'.repeat(depth));
    }
  }
}

function mutateText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const length = random.below(Math.min(64, text.length - at + 1));
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at);
    case 2:
      return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at, at + length).repeat(1 + random.below(20)) + text.slice(at);
    default:
      return text.slice(0, at);
  }
}

/** Places of JSON values and keys in a text that need not be JSON: strings, numbers, words, and balanced brackets. */
function valueSpans(text: string): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  const open: number[] = [];
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}]/gs;
  for (let match = token.exec(text); match && spans.length < 500; match = token.exec(text)) {
    const [found] = match;
    if (found === '[' || found === '{') open.push(match.index);
    else if (found === ']' || found === '}') {
      const start = open.pop();
      if (start !== undefined) spans.push([start, token.lastIndex]);
    } else spans.push([match.index, token.lastIndex]);
  }
  return spans;
}
