/** Pieces of byte strings, as both chains write them. */

export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.replace(/^0x/, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** A number in 32 bytes, the highest first. */
export const word = (value: bigint): Uint8Array => bytesOf(value.toString(16).padStart(64, '0'));

export const littleEndian = (value: bigint, length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
