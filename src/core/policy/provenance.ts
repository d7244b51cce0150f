const EVM_ADDRESS = /0x[0-9a-fA-F]{40}(?![0-9a-zA-Z])/g;
const SOLANA_ADDRESS = /(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{32,44}(?![0-9A-Za-z])/g;
const URL = /https?:\/\/[^\s"'`<>\\(){}[\]|^]+/gi;

/** Bits that one base58 digit carries. */
const BASE58_BITS = Math.log2(58);

/** The addresses and web addresses in a text, in a form that can be compared. Linear in the text's length. */
export function findReferences(text: string): readonly string[] {
  const plain = unescaped(text);
  const found = new Set<string>();
  for (const [address] of plain.matchAll(EVM_ADDRESS)) found.add(address.toLowerCase());
  for (const [address] of plain.matchAll(SOLANA_ADDRESS)) if (has32Bytes(address)) found.add(address);
  for (const [url] of plain.matchAll(URL)) found.add(comparableUrl(url));
  return [...found];
}

/**
 * The look-behinds here keep every pattern linear: a run is tried from its beginning alone.
 * JSON inside of JSON escapes slashes and may escape anything; what an agent reads is the character.
 */
const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/(?<!\\)\\+u00([2-7][0-9a-fA-F])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))).replace(/(?<!\\)\\+\//g, '/') : text;

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
  const accepted = new Set(known.flatMap(findReferences));
  return ([['payee', payee], ['resource', resource], ['arguments', argumentsText]] as const).flatMap(([what, text]) =>
    findReferences(text).flatMap((value) => {
      const where = accepted.has(value) ? '' : seenIn(value);
      return where ? [{ what, value, where }] : [];
    }),
  );
}
