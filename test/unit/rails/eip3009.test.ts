import fc from 'fast-check';
import { bytesToHex, getAddress, hashTypedData, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { authorizationHash } from '../../../src/main/rails/eip3009.ts';
import { TRANSFER_WITH_AUTHORIZATION } from '../../support/typed-data.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((value) => bytesToHex(value));
const address = bytes(20).map((value) => getAddress(value));
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const message = fc.record({ from: address, to: address, value: uint256, validAfter: uint256, validBefore: uint256, nonce: bytes(32) });
const domain = fc.record({ name: fc.string({ unit: 'grapheme', minLength: 1 }), version: fc.string({ minLength: 1 }), chainId: fc.nat().map((id) => id + 1), verifyingContract: address });

test('I2: a hash that is not the one that the token computes', () => {
  fc.assert(
    fc.property(domain, message, (of, transfer) => {
      const wanted = hashTypedData({ domain: of, types: TRANSFER_WITH_AUTHORIZATION, primaryType: 'TransferWithAuthorization', message: transfer });
      // Twice: the second one takes the domain's hash from the first.
      for (let turn = 0; turn < 2; turn++) expect(bytesToHex(authorizationHash(of, transfer))).toBe(wanted);
    }),
    { numRuns: 300 },
  );
});

test('I2: a member that is cut off or filled up to its type', () => {
  const payee: Hex = `0x${'12'.repeat(20)}`;
  const of = { name: 'USDC', version: '2', chainId: 1, verifyingContract: payee };
  const transfer = { from: payee, to: payee, value: 1n, validAfter: 0n, validBefore: 1n, nonce: `0x${'34'.repeat(32)}` };
  const wrong = [{ to: `${payee}00` }, { to: payee.slice(0, -2) }, { to: `0x${'1g'.repeat(20)}` }, { to: payee.slice(2) }, { value: 2n ** 256n }, { value: -1n }, { nonce: payee }];
  for (const change of wrong) expect(() => authorizationHash(of, { ...transfer, ...change }), JSON.stringify(Object.keys(change))).toThrow(RangeError);
});
