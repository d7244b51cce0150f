import { getAddressEncoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ASSETS } from '../../../src/core/registry/assets.ts';
import { addressWarnings, checkAddress } from '../../../src/main/wallet/check-address.ts';
import { tokenAccountOf } from '../../../src/main/adapters/chain/token-account.ts';
import { evmAccount, random, solanaAccount } from '../rails/fixtures.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const check = (text: string) => checkAddress(text, ASSETS);
const why = (text: string): string => {
  try {
    return JSON.stringify(check(text));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('an address', () => {
  test('of one case is refused, or not written with its checksum (EIP-55)', () => {
    for (const text of [ADDRESS, ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`, ` ${ADDRESS}\n`]) expect(check(text)).toEqual({ namespace: 'eip155', address: ADDRESS });
  });

  test('with one letter in the wrong case is taken', () => {
    const letters = Array.from(ADDRESS).flatMap((letter, at) => (at > 1 && /[a-f]/i.test(letter) ? [at] : []));
    for (const at of letters) {
      const letter = ADDRESS.charAt(at);
      const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      expect(why(ADDRESS.slice(0, at) + swapped + ADDRESS.slice(at + 1))).toMatch(/has a wrong checksum/);
    }
  });

  test.each([
    ['', /neither an address of an EVM network .* nor one of Solana/],
    [ADDRESS.slice(0, 41), /has 39 digits after 0x, and an address of an EVM network has 40/],
    [`${ADDRESS}ff`, /has 42 digits/],
    ['0xGGaeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /characters that an address of an EVM network cannot have/],
    [ADDRESS.slice(2), /neither/],
    ['vitalik.eth', /looks no names up/],
    [`0x${'0'.repeat(40)}`, /nobody has/],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', /nobody has/],
    ['0x0000000000000000000000000000000000000001', /address of the network itself/],
    ['0x036CbD53842c5426634e7929541eC2318f3dCF7e', /address of the token USDC itself/],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', /address of the token USDC itself/],
    ['11111111111111111111111111111111', /is the System Program and no wallet/],
    ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', /Associated Token Program/],
    ['0OIl1111111111111111111111111111111111111111', /neither/],
    ['z'.repeat(44), /neither/],
  ])('that money is lost at, or none at all, is taken: %s', (text, words) => {
    expect(why(text)).toMatch(words);
    expect(() => check(text)).toThrow(expect.objectContaining({ code: 'ADDRESS_INVALID' }));
  });

  test('of a real wallet is refused, or warned about', async () => {
    for (const address of [evmAccount(random(32)).address, (await solanaAccount(random(32))).address]) {
      expect(check(address).address).toBe(address);
      expect(addressWarnings(check(address), [])).toEqual([]);
    }
  });

  test('some text makes it throw anything but what is wrong with it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string().map((text) => `0x${text}`), fc.base64String({ minLength: 30, maxLength: 60 })), (text) => {
        expect(why(text)).toMatch(/^\{|\.$/);
      }),
    );
  });
});

describe('a warning', () => {
  test('is missing for an account of a program, where a wallet was meant', async () => {
    const { address } = await solanaAccount(random(32));
    const tokenAccount = await tokenAccountOf(address, { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' });
    expect(getAddressEncoder().encode(tokenAccount)).toHaveLength(32);
    expect(addressWarnings(check(tokenAccount), [])).toEqual([expect.stringContaining('belongs to a program and not to a key')]);
  });

  test('is missing where an address only looks like one that the owner knows, or stands at the very same one', () => {
    const twin = check(`0x${ADDRESS.slice(2, 6).toLowerCase()}${'1'.repeat(32)}${ADDRESS.slice(-4).toLowerCase()}`);
    expect(addressWarnings(twin, [{ name: 'contact 1 (Ada)', address: ADDRESS }])).toEqual(['the address looks like that of contact 1 (Ada), and is another one']);
    expect(addressWarnings(check(ADDRESS), [{ name: 'contact 1 (Ada)', address: ADDRESS.toLowerCase() }])).toEqual([]);
  });

  test('is missing at an address whose key nobody has', () => {
    expect(addressWarnings(check('0x000000000000000000000000000000000000dEaD'), [])).toEqual([expect.stringContaining('nobody has the key')]);
  });
});
