import { randomBytes } from 'node:crypto';
import { getBase64Encoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { privateKeyToAddress } from 'viem/accounts';
import { getAddress, recoverTypedDataAddress } from 'viem/utils';
import { describe, expect, test } from 'vitest';
import { checkEvmAddress, evmAddressOf, signEvmClaim } from '../../../../src/renderer/claim/evm.ts';
import { checkSolanaAddress, signSolanaClaim, solanaAddressOf, tokenAccountOf } from '../../../../src/renderer/claim/solana.ts';
import { tokenAccountOf as tokenAccountByKit } from '../../../../src/main/adapters/chain/token-account.ts';
import type { ClaimLink } from '../../../../src/shared/escrow/claim-link.ts';
import { solanaAccount } from '../../rails/fixtures.ts';
import { TRANSFER_WITH_AUTHORIZATION } from '../../../support/typed-data.ts';

/** EIP-3009, "transferWithAuthorization". */
/** The page signs by its own few lines; libraries of the chains say here whether they are right. */

const secretOf = (): string => randomBytes(32).toString('hex');
const link = (change: Partial<ClaimLink> = {}): ClaimLink => ({
  network: 'eip155:84532',
  networkName: '',
  token: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC', decimals: 6, eip712: { name: 'USDC', version: '2' } },
  units: '1500000',
  expiresAt: 0,
  memo: '',
  sender: '',
  secret: secretOf(),
  ...change,
});

describe('on EVM networks', () => {
  test('the escrow’s address is another than the wallet funded, or the signature is for other terms', async () => {
    for (let round = 0; round < 20; round += 1) {
      const claimed = link();
      const from = privateKeyToAddress(`0x${claimed.secret}`);
      expect(evmAddressOf(claimed.secret)).toBe(from);
      const to = privateKeyToAddress(`0x${secretOf()}`);
      const nonce = Uint8Array.from(randomBytes(32));
      const { signature, authorization } = signEvmClaim(claimed, { to, validBefore: 1_900_000_000, nonce }) as { signature: `0x${string}`; authorization: { nonce: `0x${string}` } };
      const signer = await recoverTypedDataAddress({
        domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
        types: TRANSFER_WITH_AUTHORIZATION,
        primaryType: 'TransferWithAuthorization',
        message: { from, to, value: 1_500_000n, validAfter: 0n, validBefore: 1_900_000_000n, nonce: authorization.nonce },
        signature,
      });
      expect(signer).toBe(from);
    }
  });

  test('an address with one wrong letter is taken, or a right one refused', () => {
    const address = privateKeyToAddress(`0x${secretOf()}`);
    expect(checkEvmAddress(` ${address} `)).toBe(address);
    expect(checkEvmAddress(address.toLowerCase())).toBe(getAddress(address));
    const at = Array.from(address).findLastIndex((letter) => /[a-f]/.test(letter));
    const wrong = address.slice(0, at) + address.charAt(at).toUpperCase() + address.slice(at + 1);
    for (const given of [wrong, address.slice(0, -1), `${address}0`, 'ada.eth', `0x${'0'.repeat(40)}`, '']) expect(() => checkEvmAddress(given)).toThrow(expect.objectContaining({ code: 'ADDRESS_INVALID' }));
  });
});

describe('on Solana', () => {
  const mint = { address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' };

  test('the accounts are others than the wallet and the chain mean, or the transaction cannot be read', async () => {
    for (let round = 0; round < 10; round += 1) {
      const secret = secretOf();
      const { address: owner } = await solanaAccount(Uint8Array.from(Buffer.from(secret, 'hex')));
      const { address: to } = await solanaAccount(Uint8Array.from(randomBytes(32)));
      const { address: feePayer } = await solanaAccount(Uint8Array.from(randomBytes(32)));
      expect(solanaAddressOf(secret)).toBe(owner);
      expect(tokenAccountOf(owner, mint)).toBe(await tokenAccountByKit(owner, mint));
      const { transaction } = signSolanaClaim(link({ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', token: { ...mint, symbol: 'USDC', decimals: 6 }, secret }), { to, feePayer, blockhash: owner, memo: new Uint8Array(16) }) as { transaction: string };
      const read = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
      const message = getCompiledTransactionMessageDecoder().decode(read.messageBytes);
      expect(message.header).toEqual({ numSignerAccounts: 2, numReadonlySignerAccounts: 1, numReadonlyNonSignerAccounts: 4 });
      expect(message.staticAccounts.slice(0, 2)).toEqual([feePayer, owner]);
      expect(Object.keys(read.signatures)).toEqual([feePayer, owner]);
    }
  });

  test('a program, a token account or a half address is taken for a wallet', async () => {
    const { address } = await solanaAccount(Uint8Array.from(randomBytes(32)));
    expect(checkSolanaAddress(address)).toBe(address);
    for (const given of [tokenAccountOf(address, mint), address.slice(0, -3), 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', '11111111111111111111111111111111', '0x00', 'ada.sol', '']) {
      expect(() => checkSolanaAddress(given)).toThrow(expect.objectContaining({ code: 'ADDRESS_INVALID' }));
    }
  });
});
