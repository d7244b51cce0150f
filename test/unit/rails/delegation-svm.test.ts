import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/core/ports.ts';
import { findAsset, type Asset } from '../../../src/core/registry/assets.ts';
import { signDelegationSvm } from '../../../src/main/rails/delegation-svm.ts';
import { verifyDelegationSvm } from '../../../src/main/rails/delegation-svm-decode.ts';
import type { DelegationTerms } from '../../../src/main/rails/delegation-terms.ts';
import { keyRing, random, solanaAccount } from './fixtures.ts';

const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const USDC = findAsset(NETWORK, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU')!;
const PYUSD = findAsset(NETWORK, 'CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM')!;
const lifetime = { blockhash: '4NCYB3kRT8sCNodPNuCZo8VUh4xqpBQxsxed2wd9xaD4', lastValidBlockHeight: 1_000n, slot: 900n };
const ACT = 'ab'.repeat(16);
const instance = { memo: ACT, blockhash: lifetime.blockhash };

let privateKey: Uint8Array;
let account: Account;
let other: string;
beforeAll(async () => {
  privateKey = random(32);
  account = await solanaAccount(privateKey);
  other = (await solanaAccount(random(32))).address;
});

const termsOf = (change: Partial<DelegationTerms> = {}): DelegationTerms => ({ kind: 'approve', network: NETWORK, asset: USDC.address, owner: account.address, delegate: other, amount: 25_000_000n, ...change });
const sign = (terms: DelegationTerms, asset: Asset = USDC) => signDelegationSvm({ keys: keyRing(account, privateKey), account, terms, asset, act: ACT, lifetime, now: 0 });

describe('I2: what was signed is taken for an approval of', () => {
  test.each<[string, () => Partial<DelegationTerms>]>([
    ['another amount', () => ({ amount: 25_000_001n })],
    ['another delegate', () => ({ delegate: account.address })],
    ['another owner’s tokens', () => ({ owner: other })],
    ['another token', () => ({ asset: PYUSD.address })],
    ['the opposite', () => ({ kind: 'revoke', amount: 0n })],
  ])('%s', async (_what, change) => {
    const { wire } = await sign(termsOf());
    await expect(verifyDelegationSvm(wire, termsOf(), instance)).resolves.toBeUndefined();
    await expect(verifyDelegationSvm(wire, termsOf(change()), instance)).rejects.toMatchObject({ code: 'PROOF_MISMATCH' });
  });

  test('another act, another blockhash, a token that nobody knows, or with another signature or byte', async () => {
    const { wire } = await sign(termsOf());
    const refused = { code: 'PROOF_MISMATCH' };
    await expect(verifyDelegationSvm(wire, termsOf(), { ...instance, memo: 'cd'.repeat(16) })).rejects.toMatchObject(refused);
    await expect(verifyDelegationSvm(wire, termsOf(), { ...instance, blockhash: other })).rejects.toMatchObject(refused);
    await expect(verifyDelegationSvm(wire, termsOf({ asset: other }), instance)).rejects.toMatchObject(refused);
    const bytes = Buffer.from(wire, 'base64');
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 0x01;
      await expect(verifyDelegationSvm(changed.toString('base64'), termsOf(), instance), `byte ${at}`).rejects.toMatchObject(refused);
    }
  });

  test('a revoke that is signed for another token program', async () => {
    const terms = termsOf({ kind: 'revoke', asset: PYUSD.address, amount: 0n });
    const { wire } = await sign(terms, PYUSD);
    await expect(verifyDelegationSvm(wire, terms, instance)).resolves.toBeUndefined();
    // The caller's idea of the token is not asked.
    await expect(sign(terms, USDC)).rejects.toMatchObject({ code: 'PROOF_MISMATCH' });
  });
});
