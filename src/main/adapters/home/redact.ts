/** Stands where something was taken out. */
const REDACTED = '[redacted]';

/** Fields that are never written, whatever they hold. Compared without case, `_` and `-`. */
const SECRET_FIELD =
  /^(privatekey|secretkey|secret|secrets|seed|entropy|mnemonic|passphrase|password|token|bearer|authorization|cookie|headers|env|apikey|datakey|key|keypair|prooftext|payloadtext|proof|payload|signature|answertext|argumentstext)$/;

/** Fields whose long hex or base58 is public: a transaction id or a digest looks exactly like a key. */
const PUBLIC_FIELD = /^(transaction|tx|digest|termsdigest|callkey|argumentshash|nonce|block|blockhash|paymentid|asset|payee|payer|address|network)$/;

const KEY_LIKE: readonly RegExp[] = [
  /\bbrs_[A-Za-z0-9_-]+/g,
  /\b(?:Bearer|Basic)\s+[^\s"',]+/gi,
  // 32 or 64 bytes of hex: an EVM key, a seed.
  /(?<![0-9a-fA-F])(?:0x)?(?:[0-9a-fA-F]{128}|[0-9a-fA-F]{64})(?![0-9a-fA-F])/g,
  // 64 bytes of base58: a Solana keypair. 32 bytes look like an address and cannot be told from one.
  /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{86,88}(?![1-9A-HJ-NP-Za-km-z])/g,
  // The fragment of a claim link, which holds the key of an escrow.
  /\b\d\.[A-Za-z0-9_-]{80,}(?:\.[0-9a-f]{8})?/g,
  // A list of bytes: a Solana keypair file.
  /\[\s*(?:\d{1,3}\s*,\s*){31,}\d{1,3}\s*\]/g,
  // Twelve or more lower-case words in a row, each as long as BIP-39 words are.
  /\b(?:[a-z]{3,8}\s+){11,}[a-z]{3,8}\b/g,
  // Credentials and queries of a URL: RPC addresses carry API keys there.
  /(?<=\bhttps?:\/\/)[^\s/@"']+@/gi,
  /(?<=\bhttps?:\/\/[^\s?"']+\?)[^\s"']+/gi,
];

const MAX_DEPTH = 6;

/** A text without anything that looks like key material (I6). */
export const redactText = (text: string): string => KEY_LIKE.reduce((rest, pattern) => rest.replace(pattern, REDACTED), text);

/**
 * A copy of a value that is safe to log (I6): secret fields and key-like texts are taken out, bytes become their length, bigints decimal
 * strings, errors their name, code, message and stack.
 */
export function redact(value: unknown): unknown {
  return clean(value, '', 0);
}

function clean(value: unknown, field: string, depth: number): unknown {
  if (typeof value === 'string') return PUBLIC_FIELD.test(field) ? value : redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Error) return cleanError(value, depth);
  if (value instanceof Map || value instanceof Set) return `[${value.constructor.name} of ${value.size}]`;
  if (Array.isArray(value)) {
    if (value.length >= 32 && value.every((item) => typeof item === 'number')) return REDACTED;
    return value.map((item) => clean(item, field, depth + 1));
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redactText(name), cleanField(name, member, depth)]));
}

function cleanField(name: string, member: unknown, depth: number): unknown {
  const field = name.toLowerCase().replace(/[_-]/g, '');
  return SECRET_FIELD.test(field) ? REDACTED : clean(member, field, depth + 1);
}

function cleanError(error: Error, depth: number): unknown {
  return {
    name: error.name,
    ...('code' in error && { code: clean(error.code, '', depth + 1) }),
    message: redactText(error.message),
    ...('context' in error && { context: clean(error.context, '', depth + 1) }),
    stack: redactText(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: clean(error.cause, '', depth + 1) }),
  };
}
