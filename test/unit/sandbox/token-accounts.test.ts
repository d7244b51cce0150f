import { address, lamports, type Address, type EncodedAccount } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMint, readTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, uiTokenAmount } from '../../../src/sandbox/solana/token-accounts.ts';

const account = (data: Uint8Array, programAddress: Address = TOKEN_PROGRAM): EncodedAccount => ({
  address: address('11111111111111111111111111111111'),
  programAddress,
  data,
  executable: false,
  lamports: lamports(1n),
  space: BigInt(data.length),
});

test('no bytes of any length make the readers throw, and none are both mint and account', () => {
  const sizes = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 165, maxLength: 165 }), fc.uint8Array({ minLength: 82, maxLength: 82 }));
  fc.assert(
    fc.property(sizes, fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM), (data, program) => {
      const [token, mint] = [readTokenAccount(account(data, program)), readMint(account(data, program))];
      expect(token !== undefined && mint !== undefined).toBe(false);
    }),
  );
});

test('an account of another program is no token account, whatever its size', () => {
  const other = address('11111111111111111111111111111111');
  expect(readTokenAccount(account(new Uint8Array(165), other))).toBeUndefined();
  expect(readMint(account(new Uint8Array(82), other))).toBeUndefined();
});

test('amounts beyond 2^53 are shown exactly', () => {
  expect(uiTokenAmount(9_007_199_254_740_993n, 6)).toMatchObject({ amount: '9007199254740993', uiAmountString: '9007199254.740993' });
  expect(uiTokenAmount(1_500_000n, 6).uiAmountString).toBe('1.5');
});
