import * as fc from 'fast-check';
import { HDKey } from 'viem/accounts';
import { expect, it } from 'vitest';
import { bip32PrivateKey } from '../../../src/main/adapters/keys/bip32.ts';

const step = fc.tuple(fc.nat(0x7fffffff), fc.constantFrom('', "'")).map(([index, mark]) => `${index}${mark}`);

it('derives another key than a general library does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.array(step, { maxLength: 5 }), (seed, steps) => {
      const path = ['m', ...steps].join('/');
      expect(Buffer.from(bip32PrivateKey(seed, path))).toEqual(Buffer.from(HDKey.fromMasterSeed(seed).derive(path).privateKey!));
    }),
    { numRuns: 60 },
  );
});

it('takes a path that is none', () => {
  for (const path of ['', '44/60', 'm/x', "m/44''", 'm/']) expect(() => bip32PrivateKey(new Uint8Array(64), path)).toThrow(RangeError);
});
