/** The length of the shortest address, which is written in letters and digits alone. */
const SHORTEST_ADDRESS = 32;
const HALF_ADDRESS = SHORTEST_ADDRESS / 2;
/** An address is the end of a run of letters and digits (EVM), or all of it (Solana). */
const EVM_ADDRESS = /0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const REST_OF_RUN = /[0-9A-Za-z]*/y;
const URL = /https?:\/\/[^\s"'`<>\\(){}[\]|^]+/gi;

/** Bits that one base58 digit carries. */
const BASE58_BITS = Math.log2(58);

/** The addresses and web addresses in a text, in a form that can be compared. Linear in the text's length. */
export function findReferences(text: string): readonly string[] {
  const plain = unescaped(text);
  const found = new Set<string>();
  for (const run of longRuns(plain)) {
    const evm = EVM_ADDRESS.exec(run)?.[0];
    if (evm !== undefined) found.add(evm.toLowerCase());
    if (SOLANA_ADDRESS.test(run) && has32Bytes(run)) found.add(run);
  }
  // Few texts name one, and the engine finds three characters much sooner than a pattern.
  if (plain.includes('://')) for (const [url] of plain.matchAll(URL)) found.add(comparableUrl(url));
  return [...found];
}

/** Runs of letters and digits that are long enough for an address. Of other text only what lies around every 32nd character is looked at. */
function* longRuns(text: string): Generator<string> {
  for (let at = SHORTEST_ADDRESS - 1; at < text.length; at += SHORTEST_ADDRESS) {
    if (!isAlphanumeric(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && at - start < HALF_ADDRESS && isAlphanumeric(text.charCodeAt(start - 1))) start--;
    if (at - start < HALF_ADDRESS) {
      // Then the other half lies behind this place.
      let next = at + 1;
      while (next - at < HALF_ADDRESS && isAlphanumeric(text.charCodeAt(next))) next++;
      if (next - at < HALF_ADDRESS) continue;
    }
    while (start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) start--;
    REST_OF_RUN.lastIndex = at;
    REST_OF_RUN.test(text);
    const end = REST_OF_RUN.lastIndex;
    if (end - start >= SHORTEST_ADDRESS) yield text.slice(start, end);
    if (end > at + SHORTEST_ADDRESS) at += Math.floor((end - at) / SHORTEST_ADDRESS - 1) * SHORTEST_ADDRESS;
  }
}

const isAlphanumeric = (code: number): boolean => (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

/**
 * The look-behinds here keep every pattern linear: a run is tried from its beginning alone.
 * JSON inside of JSON escapes slashes and may escape anything; what an agent reads is the character.
 * The engine looks for the first character of what it seeks, and backslashes are many.
 */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const characters = text.includes('00') && text.includes('\\u00') ? text.replace(/(?<!\\)\\+u00([2-7][0-9a-fA-F])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))) : text;
  return characters.includes('/') && characters.includes('\\/') ? characters.replace(/(?<!\\)\\+\//g, '/') : characters;
}

/** Every leading 1 is a zero byte. Keeps most of what only looks like an address, such as parts of an image, out. */
function has32Bytes(address: string): boolean {
  const digits = address.replace(/^1+/, '');
  const bytes = address.length - digits.length + (digits.length * BASE58_BITS) / 8;
  return bytes > 31 && bytes < 33;
}

/** Scheme and host in lower case, without fragment, closing punctuation and a last slash. */
function comparableUrl(url: string): string {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(url) ?? [];
  return (origin.toLowerCase() + rest.replace(/#.*$/, '')).replace(/(?<![.,;:!?*_~/])[.,;:!?*_~/]+$/, '');
}

/** Where a value was first seen in what servers told the agent; empty where it was not. */
export type SeenIn = (reference: string) => string;

/** Something of a payment that first stood in a text of a server, and in which. */
export interface Origin {
  readonly what: 'payee' | 'resource' | 'arguments';
  readonly value: string;
  /** `a result of tool "search" of server "web"` */
  readonly where: string;
}

/** What is asked for, and what an owner accepted before. */
export interface OriginsRequest {
  readonly payee: string;
  readonly resource: string;
  readonly argumentsText: string;
  readonly seenIn: SeenIn;
  /** Texts of the last settled payment for the same tool: what stands in them is no news of this session. */
  readonly known: readonly string[];
}

/** Which of payee, resource and arguments a server may have put into the agent's mouth. Such a payment is never allowed by a rule. */
export function originsOf({ payee, resource, argumentsText, seenIn, known }: OriginsRequest): readonly Origin[] {
  // Looked for only once a server did say one of them.
  let accepted: ReadonlySet<string> | undefined;
  const isAccepted = (value: string) => (accepted ??= new Set(known.flatMap(findReferences))).has(value);
  return ([['payee', payee], ['resource', resource], ['arguments', argumentsText]] as const).flatMap(([what, text]) =>
    findReferences(text).flatMap((value) => {
      const where = seenIn(value);
      return where && !isAccepted(value) ? [{ what, value, where }] : [];
    }),
  );
}
