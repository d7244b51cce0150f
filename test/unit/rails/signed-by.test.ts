import fc from 'fast-check';
import { bytesToHex, hexToBytes, isHex, recoverAddress, type Hex } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { isSignedBy as isSignedByHash } from '../../../src/main/rails/signed-by.ts';

/** Order of secp256k1's group. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytesToHex(bytes));
const privateKey = fc.bigInt({ min: 1n, max: ORDER - 1n }).map((scalar): Hex => `0x${scalar.toString(16).padStart(64, '0')}`);
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

const isSignedBy = (address: string, hash: Hex, signature: Hex): Promise<boolean> => isSignedByHash(address, hexToBytes(hash), signature);

/** What the token's own `ecrecover` says, by another implementation. */
const recovered = (hash: Hex, signature: Hex): Promise<string> => recoverAddress({ hash, signature }).catch(() => 'nobody');

describe('I2: the check of a signer lets pass', () => {
  test('what ecrecover gives another address for, or refuses what it gives this one for', async () => {
    await fc.assert(
      fc.asyncProperty(privateKey, bytes32, bytes32, fc.nat(64), fc.nat(15), async (key, first, hash, at, digit) => {
        const address = privateKeyToAddress(key);
        expect(await isSignedBy(address, first, await sign({ hash: first, privateKey: key, to: 'hex' }))).toBe(true);
        const signature = await sign({ hash, privateKey: key, to: 'hex' });
        expect(await isSignedBy(address, hash, signature)).toBe(true);

        const place = 2 + at * 2;
        const changed = `${signature.slice(0, place)}${digit.toString(16)}${signature.slice(place + 1)}`;
        const [r, s] = [BigInt(signature.slice(0, 66)), BigInt(`0x${signature.slice(66, 130)}`)];
        const twin = `0x${word(r)}${word(ORDER - s)}${signature.endsWith('1b') ? '1c' : '1b'}` as const;
        const flipped = `${signature.slice(0, -1)}${signature.endsWith('b') ? 'c' : 'b'}` as Hex;
        for (const other of [changed, twin, flipped]) {
          if (!isHex(other) || !/1[bc]$/.test(other)) continue;
          expect(await isSignedBy(address, hash, other), other).toBe((await recovered(hash, other)) === address);
        }
        expect(await isSignedBy(address, first === hash ? bytesToHex(new Uint8Array(32)) : first, signature)).toBe(first === hash ? false : (await recovered(first, signature)) === address);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['r of zero', 0n, 1n],
    ['s of zero', 1n, 0n],
    ['r at the order', ORDER, 1n],
    ['s at the order', 1n, ORDER],
  ])('an %s', async (_, r, s) => {
    const key: Hex = `0x${'07'.repeat(32)}`;
    const hash: Hex = `0x${'42'.repeat(32)}`;
    for (let turn = 0; turn < 2; turn++) {
      expect(await isSignedBy(privateKeyToAddress(key), hash, `0x${word(r)}${word(s)}1b`)).toBe(false);
      expect(await isSignedBy(privateKeyToAddress(key), hash, await sign({ hash, privateKey: key, to: 'hex' }))).toBe(true);
    }
  });

  test('another account’s signature', async () => {
    const [own, other]: [Hex, Hex] = [`0x${'07'.repeat(32)}`, `0x${'08'.repeat(32)}`];
    const hash: Hex = `0x${'42'.repeat(32)}`;
    expect(await isSignedBy(privateKeyToAddress(own), hash, await sign({ hash, privateKey: own, to: 'hex' }))).toBe(true);
    expect(await isSignedBy(privateKeyToAddress(own), hash, await sign({ hash, privateKey: other, to: 'hex' }))).toBe(false);
    expect(await isSignedBy(privateKeyToAddress(other), hash, await sign({ hash, privateKey: own, to: 'hex' }))).toBe(false);
  });
});
