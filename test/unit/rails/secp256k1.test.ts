import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { privateKeyToAddress } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import { expect, test } from 'vitest';
import { recoverSigner, signHash } from '../../../src/main/rails/secp256k1.ts';

const ORDER = secp256k1.Point.Fn.ORDER;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const privateKey = fc.bigInt({ min: 1n, max: ORDER - 1n }).map((scalar) => Uint8Array.from(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')));

test('a signature that is not the one of RFC 6979, or has the larger s, or names another signer', async () => {
  await fc.assert(
    fc.asyncProperty(privateKey, bytes32, async (key, hash) => {
      const { rs, parity } = await signHash(hash, key);
      const other = secp256k1.sign(hash, key, { prehash: false, lowS: true, format: 'recovered' });
      expect(Buffer.from(rs).toString('hex')).toBe(Buffer.from(other.subarray(1)).toString('hex'));
      expect(parity).toBe(other[0]);
      expect(BigInt(bytesToHex(rs.subarray(32)))).toBeLessThanOrEqual(ORDER / 2n);
      const signer = await recoverSigner(hash, { rs, parity });
      expect(bytesToHex(signer!)).toBe(privateKeyToAddress(bytesToHex(key)).toLowerCase());
    }),
    { numRuns: 1000 },
  );
});

test('I6: a key, or a half of it, that stays in the library\'s memory after it signed', async () => {
  const key = Uint8Array.from(Buffer.from('8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63', 'hex'));
  await signHash(new Uint8Array(32).fill(1), key);
  const { default: wasm } = (await import(new URL('wasm_loader.js', import.meta.resolve('tiny-secp256k1')).href)) as { default: { memory: WebAssembly.Memory } };
  const memory = Buffer.from(wasm.memory.buffer);
  // As it is given, and as the library's numbers lie: words of eight bytes, the lowest first.
  for (const form of [Buffer.from(key), Buffer.from(key.toReversed())]) {
    for (const part of [form.subarray(0, 16), form.subarray(16)]) expect(memory.includes(part)).toBe(false);
  }
});

test.each([
  ['zero', 0n],
  ['the order', ORDER],
])('a key of %s that signs', async (_name, scalar) => {
  const key = Uint8Array.from(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex'));
  await expect(signHash(new Uint8Array(32).fill(1), key)).rejects.toThrow();
});
