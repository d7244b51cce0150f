import { describe, expect, test } from 'vitest';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account } from '../../../src/core/ports.ts';
import { findAsset } from '../../../src/core/registry/assets.ts';
import { createDevSignature, verifyDevText } from '../../../src/main/rails/dev-signature.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { keyRing, offerOf, termsOf } from './fixtures.ts';

const USDC = findAsset('dev:mpx', 'USDC')!;
const PAYEE = '0x742d35Cc6634C0532925a3b844Bc9e7595f8fE00';
const account: Account = { id: 'dev-1', label: 'Secret', namespace: 'dev', address: 'dev-1', source: 'imported' };
const keys = keyRing(account, utf8ToBytes('s3cret'));
const rail = createDevSignature({ keys });
const signal = new AbortController().signal;

const offered = (extra: object = {}, amount = 1_500_000n) => ({
  ...offerOf(USDC, { payee: PAYEE, amount, extra: { scheme: 'hmac-sha256', payTo: PAYEE, amount: '1.50', currency: 'USDC', decimals: 6, ...extra } }),
  scheme: 'dev-signature',
});
const sign = (offer = offered(), change: Partial<Terms> = {}) => rail.sign({ terms: { ...termsOf(offer, USDC, account), ...change }, offer, asset: USDC, account, now: 0, signal });

describe('dev-signature', () => {
  test('a signature other than the reference vector', async () => {
    const { payloadText } = await sign();
    expect(JSON.parse(payloadText)).toEqual({ signature: '634a2a8410c7ec2a6c64e418b803c32b96e0cef134e76e1f369bcb46f113bb9a' });
  });

  test('a bearer token whose budget is given back', async () => {
    const offer = offered();
    const terms = termsOf(offer, USDC, account);
    const proof = await sign();
    const seen = await rail.observe(terms, proof.track, signal);
    expect(seen).toMatchObject({ state: 'settled', final: true, transaction: expect.stringMatching(/^dev-[0-9a-f]{32}$/) as string });
    expect(JSON.stringify(seen)).not.toContain(proof.track.signature);
  });

  test('I2: two amounts, or another token than the registry’s, that are signed', async () => {
    await expect(sign(offered({ amount: '2.50' }))).rejects.toMatchObject({ code: 'CHALLENGE_MALFORMED' });
    await expect(sign(offered({ currency: 'EUR' }))).rejects.toMatchObject({ code: 'ASSET_MISMATCH' });
    await expect(sign(offered({ decimals: 18 }))).rejects.toMatchObject({ code: 'ASSET_MISMATCH' });
    await expect(sign(offered(), { amount: baseUnits(1n) })).rejects.toMatchObject({ code: 'PROOF_MISMATCH' });
    await expect(sign(offered(), { payee: 'other' })).rejects.toMatchObject({ code: 'PROOF_MISMATCH' });
  });

  test('I2: a text that says anything else passes the check', () => {
    const terms = termsOf(offered(), USDC, account);
    const text = { rail: 'dev-signature', payTo: PAYEE, amount: '1.50', currency: 'USDC', decimals: 6 };
    verifyDevText(JSON.stringify(text), terms);
    for (const change of [{ rail: 'x' }, { payTo: 'x' }, { amount: '1.51' }, { currency: 'EUR' }, { decimals: 2 }, { more: 1 }]) {
      expect(() => verifyDevText(JSON.stringify({ ...text, ...change }), terms), JSON.stringify(change)).toThrow(/another/);
    }
  });
});
