import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBursarError } from '../../../src/shared/errors/errors.ts';
import { readClaimLink, writeClaimFragment, type ClaimLink } from '../../../src/shared/escrow/claim-link.ts';

const LINK: ClaimLink = {
  network: 'eip155:84532',
  networkName: 'Base Sepolia',
  token: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC', decimals: 6, eip712: { name: 'USDC', version: '2' } },
  units: '1500000',
  expiresAt: 1_800_000_000_000,
  memo: 'Für den Kaffee ☕ "danke"',
  sender: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  secret: 'ab'.repeat(32),
};

describe('a claim link', () => {
  test('does not say again what was written into it, or holds what a mail program breaks', () => {
    const fragment = writeClaimFragment(LINK);
    expect(fragment).toMatch(/^[\w.-]+$/);
    expect(readClaimLink(`https://claims.example/pay/#${fragment}`)).toEqual(LINK);
    const solana = { ...LINK, network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', token: { address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', symbol: 'USDC', decimals: 6 } };
    expect(readClaimLink(` ${writeClaimFragment(solana)}\n`)).toEqual(solana);
  });

  test('is taken where one character is another, or the end is missing', () => {
    const fragment = writeClaimFragment(LINK);
    fc.assert(
      fc.property(fc.nat(fragment.length - 1), fc.constantFrom('a', 'c', 'X', 'Z', '0', '9', '_', '-'), fc.nat(fragment.length - 1), (at, other, cut) => {
        const changed = fragment.slice(0, at) + other + fragment.slice(at + 1);
        if (changed !== fragment) expect(() => readClaimLink(changed)).toThrow(expect.objectContaining({ code: 'CLAIM_LINK_INVALID' }));
        expect(() => readClaimLink(fragment.slice(0, cut))).toThrow(expect.objectContaining({ code: 'CLAIM_LINK_INVALID' }));
      }),
    );
  });

  test('with a number that no token or calendar has is taken: the page would hang or fall over it', () => {
    for (const change of [{ token: { ...LINK.token, decimals: 1_000_000_000 } }, { token: { ...LINK.token, decimals: -1 } }, { expiresAt: 8.64e15 + 1 }, { expiresAt: -1 }]) {
      expect(() => readClaimLink(writeClaimFragment({ ...LINK, ...change }))).toThrow(expect.objectContaining({ code: 'CLAIM_LINK_INVALID' }));
    }
  });

  test('that is no link at all throws something else than an error of ours', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          readClaimLink(text);
        } catch (error) {
          if (!isBursarError(error, 'CLAIM_LINK_INVALID')) throw error;
        }
      }),
    );
  });
});
