import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { privateKeyToAddress } from 'viem/accounts';
import { bytesToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { addressOfKey, createSeed, derivationPath, derivePrivateKey } from '../../../src/main/adapters/keys/derive.ts';

describe('derivation', () => {
  // "abandon … about", the mnemonic of sixteen zero bytes, as MetaMask and Phantom derive it.
  it.each([
    ['eip155', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
    ['solana', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
  ] as const)('gives another %s account than other wallets from the same words', (namespace, address) => {
    const key = derivePrivateKey(createSeed(new Uint8Array(16)), namespace, derivationPath(namespace, 0));
    expect(key).toHaveLength(32);
    expect(addressOfKey(namespace, key)).toBe(address);
  });

  it('makes the same wallet twice, or one that its words do not give', () => {
    const [seed, other] = [createSeed(), createSeed()];
    expect(seed).toHaveLength(80);
    expect(seed).not.toEqual(other);
    expect(Uint8Array.from(seed.subarray(16))).toEqual(mnemonicToSeedSync(entropyToMnemonic(seed.subarray(0, 16), wordlist)));
  });

  it('gives another EVM address than viem', () => {
    const key = new Uint8Array(32).fill(7);
    expect(addressOfKey('eip155', key)).toBe(privateKeyToAddress(bytesToHex(key)));
  });
});
