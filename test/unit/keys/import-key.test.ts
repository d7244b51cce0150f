import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ed25519PublicKey } from '../../../src/main/adapters/keys/derive.ts';
import { parsePrivateKey } from '../../../src/main/adapters/keys/import-key.ts';
import { isBursarError, toErrorInfo } from '../../../src/shared/errors/errors.ts';

const seed = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const keypair = Uint8Array.from([...seed, ...ed25519PublicKey(seed)]);
const hex = Buffer.from(seed).toString('hex');

describe('parsePrivateKey', () => {
  it.each([
    ['eip155', hex],
    ['eip155', ` 0x${hex.toUpperCase()}\n`],
    ['solana', JSON.stringify([...keypair])],
    ['solana', ` ${JSON.stringify([...keypair], null, 2)}\n`],
    ['solana', base58.encode(keypair)],
    ['solana', base58.encode(seed)],
  ] as const)('cannot read a %s key that another wallet exports: %s', (namespace, text) => {
    expect([...parsePrivateKey(namespace, text)]).toEqual([...seed]);
  });

  const mixed = Uint8Array.from(keypair).fill(9, 40);
  it.each([
    ['eip155', '', /0 hex digits and needs 64/],
    ['eip155', hex.slice(1), /63 hex digits/],
    ['eip155', `${hex.slice(2)}zz`, /other than 0-9 and a-f/],
    ['eip155', '0'.repeat(64), /zero or too large/],
    ['eip155', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', /zero or too large/],
    ['solana', '', /0 bytes and needs 64/],
    ['solana', 'O0Il', /neither base58 nor/],
    ['solana', base58.encode(seed.subarray(1)), /31 bytes/],
    ['solana', base58.encode(mixed), /public half/],
    ['solana', '[1, 2', /not a JSON array/],
    ['solana', '[1, 2]', /2 numbers and needs 64/],
    ['solana', JSON.stringify([...keypair.subarray(1), 256]), /from 0 to 255/],
    ['solana', JSON.stringify([...keypair.subarray(1), 1.5]), /from 0 to 255/],
    ['solana', JSON.stringify([...mixed]), /public half/],
  ] as const)('takes a broken %s key, or does not say what is wrong: %s', (namespace, text, why) => {
    expect(() => parsePrivateKey(namespace, text)).toThrow(expect.objectContaining({ code: 'KEY_INVALID', message: expect.stringMatching(why) }));
  });

  it('fails with something else than KEY_INVALID, or repeats what was given (I6)', { timeout: 30_000 }, () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^\[[0-9, ]*\]$/), fc.stringMatching(/^(0x)?[0-9a-f]{60,68}$/), fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{30,90}$/));
    fc.assert(
      fc.property(fc.constantFrom('eip155' as const, 'solana' as const), text, (namespace, given) => {
        try {
          expect(parsePrivateKey(namespace, given)).toHaveLength(32);
        } catch (error) {
          expect(isBursarError(error, 'KEY_INVALID') ? '' : error).toBe('');
          if (given.trim().length > 8) expect(JSON.stringify(toErrorInfo(error))).not.toContain(given.trim());
        }
      }),
    );
  });
});
