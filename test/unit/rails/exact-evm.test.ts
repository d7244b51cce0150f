import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { privateKeyToAddress } from 'viem/accounts';
import { bytesToHex, getAddress } from 'viem/utils';
import type { Offer } from '../../../src/core/challenges/dialect.ts';
import { termsDigest, type Terms } from '../../../src/core/payments/terms.ts';
import type { Rail, SignedNonces } from '../../../src/core/ports.ts';
import { ASSETS, type Asset } from '../../../src/core/registry/assets.ts';
import { verifyExactEvm } from '../../../src/main/rails/exact-evm-decode.ts';
import { createExactEvm } from '../../../src/main/rails/exact-evm.ts';
import { isBursarError } from '../../../src/shared/errors/errors.ts';
import { baseUnits, MAX_BASE_UNITS } from '../../../src/shared/money/money.ts';
import { evmAccount, keyRing, observeNever, offerOf, random, termsOf } from './fixtures.ts';

const [base, sepolia] = ASSETS.filter((asset) => asset.eip712) as [Asset, Asset];
const NOW = Date.UTC(2026, 0, 1);
const signal = new AbortController().signal;

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes[0]! < 0xff && bytes.some((byte) => byte !== 0));
const payee = key.map((bytes) => privateKeyToAddress(bytesToHex(bytes)));
const amount = fc.bigInt({ min: 1n, max: MAX_BASE_UNITS });

async function signed(input: { key: Uint8Array; asset: Asset; payee: string; amount: bigint; maxTimeoutSeconds: number }) {
  const account = evmAccount(input.key);
  const offer = offerOf(input.asset, { ...input, extra: input.asset.eip712! });
  const terms = termsOf(offer, input.asset, account, getAddress(input.payee));
  const rail = createExactEvm({ keys: keyRing(account, input.key), random, observe: observeNever });
  const proof = await rail.sign({ terms, offer, asset: input.asset, account, now: NOW, signal });
  const { nonce, signedAt } = proof.track as { nonce: string; signedAt: string };
  return { rail, account, offer, terms, proof, instance: { nonce, signedAt: Number(signedAt), validAfter: 0 } };
}
const intents = fc.record({ key, payee, amount, asset: fc.constantFrom(base, sepolia), maxTimeoutSeconds: fc.integer({ min: 10, max: 100_000 }) });
const example = { key: new Uint8Array(32).fill(7), payee: privateKeyToAddress(bytesToHex(new Uint8Array(32).fill(9))), amount: 10_000n, asset: sepolia, maxTimeoutSeconds: 300 };

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    if (isBursarError(error)) return error.code;
    throw error;
  }
  return 'none';
};

describe('signing an EIP-3009 authorization', () => {
  test('a signed intent that does not decode to its terms', async () => {
    await fc.assert(
      fc.asyncProperty(intents, async (input) => {
        const { terms, proof, instance } = await signed(input);
        await verifyExactEvm(proof.payloadText, terms, instance);
        const { authorization } = JSON.parse(proof.payloadText) as { authorization: Record<string, string> };
        expect(authorization).toMatchObject({ from: terms.payer, to: terms.payee, value: terms.amount.toString(), validAfter: '0', nonce: proof.track.nonce });
        expect(Number(authorization.validBefore)).toBe(NOW / 1000 + Math.min(input.maxTimeoutSeconds, 600));
        expect(proof.outstandingUntil).toBe(Number(authorization.validBefore) * 1000);
      }),
      { numRuns: 50 },
    );
  });

  const authorizationOf = async (change: Partial<Offer>) => {
    const { rail, offer, terms, account } = await signed(example);
    const proof = await rail.sign({ terms, offer: { ...offer, ...change }, asset: sepolia, account, now: NOW, signal });
    return (JSON.parse(proof.payloadText) as { authorization: Record<string, string> }).authorization;
  };

  test('I2: a nonce that the challenge sets and the authorization does not carry', async () => {
    const nonce = `0x${'aB'.repeat(32)}`;
    expect(await authorizationOf({ nonce })).toMatchObject({ nonce: nonce.toLowerCase() });
    expect(await codeOf(() => authorizationOf({ nonce: '0x12' }))).toBe('CHALLENGE_MALFORMED');
  });

  test('an authorization that outlives the offer, or is signed for one that has ended', async () => {
    expect(await authorizationOf({ expiresAt: NOW + 45_500 })).toMatchObject({ validBefore: String(NOW / 1000 + 45) });
    expect(await authorizationOf({ expiresAt: NOW + 3_600_000 })).toMatchObject({ validBefore: String(NOW / 1000 + 300) });
    expect(await codeOf(() => authorizationOf({ expiresAt: NOW + 5_000 }))).toBe('NO_PAYABLE_OFFER');
  });

  test('x402 v1: an authorization that a chain whose clock lags does not take yet', async () => {
    expect(await authorizationOf({ x402Version: 1 })).toMatchObject({ validAfter: String(NOW / 1000 - 600) });
  });

  test('I2: another start or end than the offer’s that passes the check', async () => {
    const { terms, proof, instance } = await signed(example);
    expect(await codeOf(() => verifyExactEvm(proof.payloadText, terms, { ...instance, validAfter: NOW / 1000 - 600 }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactEvm(proof.payloadText, terms, { ...instance, notAfter: instance.signedAt + 299 }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactEvm(proof.payloadText, terms, { ...instance, notAfter: instance.signedAt + 300 }))).toBe('none');
  });

  test('a nonce that repeats', async () => {
    const proofs = await Promise.all(Array.from({ length: 20 }, () => signed(example)));
    expect(new Set(proofs.map(({ proof }) => proof.track.nonce)).size).toBe(20);
  });

  test('one changed character of the payload that passes the check', async () => {
    const { terms, proof, instance } = await signed(example);
    await fc.assert(
      fc.asyncProperty(fc.nat(proof.payloadText.length - 1), fc.constantFrom(...Array.from('0123456789abcdefABCDEF"x{}, ')), async (at, character) => {
        fc.pre(proof.payloadText[at] !== character);
        const changed = proof.payloadText.slice(0, at) + character + proof.payloadText.slice(at + 1);
        expect(await codeOf(() => verifyExactEvm(changed, terms, instance))).toBe('PROOF_MISMATCH');
      }),
      { numRuns: 300 },
    );
  });

  test('one changed term that passes the check', async () => {
    const { terms, proof, instance } = await signed(example);
    const other = privateKeyToAddress(bytesToHex(new Uint8Array(32).fill(3)));
    const changes: Partial<Terms>[] = [
      { payer: other },
      { payee: other },
      { amount: baseUnits(terms.amount + 1n) },
      { network: base.network },
      { asset: base.address },
      { network: base.network, asset: base.address },
      { asset: other },
    ];
    for (const change of changes) expect(await codeOf(() => verifyExactEvm(proof.payloadText, { ...terms, ...change }, instance)), JSON.stringify(Object.keys(change))).toBe('PROOF_MISMATCH');
  });

  test('an added member, a repeated one or a longer life that passes the check', async () => {
    const { terms, proof, instance } = await signed(example);
    const extra = proof.payloadText.replace(/\}$/, ',"note":"x"}');
    const repeated = proof.payloadText.replace('"authorization":{', '"authorization":{"value":"1",');
    expect(await codeOf(() => verifyExactEvm(extra, terms, instance))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactEvm(repeated, terms, instance))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactEvm(proof.payloadText, terms, { ...instance, signedAt: instance.signedAt - 601 }))).toBe('PROOF_MISMATCH');
  });

  test('an offer, account or asset other than the terms that is signed all the same', async () => {
    const { rail, account, offer, terms } = await signed(example);
    const other = evmAccount(new Uint8Array(32).fill(5));
    const signWith = (change: object) => () => rail.sign({ terms, offer, asset: sepolia, account, now: NOW, signal, ...change });
    expect(await codeOf(signWith({ offer: { ...offer, amount: '10001' } }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ offer: { ...offer, payee: other.address } }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ offer: { ...offer, network: base.network } }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ account: other }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ terms: { ...terms, amount: baseUnits(1n) } }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ asset: base }))).toMatch(/MISMATCH/);
  });

  test('a key of another account that signs for the payer', async () => {
    const { account, offer, terms } = await signed(example);
    const rail = createExactEvm({ keys: keyRing(account, new Uint8Array(32).fill(8)), random, observe: observeNever });
    expect(await codeOf(() => rail.sign({ terms, offer, asset: sepolia, account, now: NOW, signal }))).toBe('PROOF_MISMATCH');
  });

  test('an unusable key whose bytes show in the error', async () => {
    const { account, offer, terms } = await signed(example);
    const rail = createExactEvm({ keys: keyRing(account, new Uint8Array(32).fill(0xff)), random, observe: observeNever });
    const error = await rail.sign({ terms, offer, asset: sepolia, account, now: NOW, signal }).catch((caught: unknown) => caught);
    expect(isBursarError(error, 'SIGNING_FAILED')).toBe(true);
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack, (error as Error).cause])).not.toMatch(/f{16}/i);
  });
});

describe('a nonce that a server sets', () => {
  const account = evmAccount(example.key);
  const given = `0x${'AB'.repeat(32)}`;
  const railOf = (signedNonces: SignedNonces = () => []) => createExactEvm({ keys: keyRing(account, example.key), random, observe: observeNever, signedNonces });
  const sign = (rail: Rail, { units = 1n, change = {} }: { units?: bigint; change?: Partial<Terms> } = {}) => {
    const offer = { ...offerOf(sepolia, { ...example, amount: units }), nonce: given };
    return rail.sign({ terms: { ...termsOf(offer, sepolia, account, getAddress(example.payee)), ...change }, offer, asset: sepolia, account, now: NOW, signal });
  };

  test('I1: it is signed under other terms, or for another call', async () => {
    const rail = railOf();
    expect((await sign(rail)).track.nonce).toBe(given.toLowerCase());
    expect((await sign(rail)).track.nonce).toBe(given.toLowerCase()); // thrown away before it was journaled
    expect(await codeOf(() => sign(rail, { units: 2n }))).toBe('CHALLENGE_MALFORMED');
    expect(await codeOf(() => sign(rail, { change: { argumentsHash: '11' } }))).toBe('CHALLENGE_MALFORMED');
  });

  test('I1: it is signed again after a restart, while its money moved or may', async () => {
    const offer = offerOf(sepolia, { ...example, amount: 1n });
    const digest = termsDigest(termsOf(offer, sepolia, account, getAddress(example.payee)));
    const journaled = (signedDigest: string, dead: boolean) => railOf((payer, nonce) => (payer === account.address && nonce === given.toLowerCase() ? [{ termsDigest: signedDigest, dead }] : []));
    expect(await codeOf(() => sign(journaled(digest, false)))).toBe('CHALLENGE_MALFORMED');
    expect(await codeOf(() => sign(journaled('other', true)))).toBe('CHALLENGE_MALFORMED');
    expect((await sign(journaled(digest, true))).track.nonce).toBe(given.toLowerCase());
  });
});

describe('offers that cannot be paid', () => {
  const rail = createExactEvm({ keys: keyRing(evmAccount(example.key), example.key), random, observe: observeNever });
  const refusal = (change: Partial<Parameters<typeof offerOf>[1]>, asset: Asset = sepolia) => {
    try {
      rail.check(offerOf(asset, { payee: example.payee, amount: 1n, ...change }), asset);
    } catch (error) {
      if (isBursarError(error)) return `${error.code}: ${error.message}`;
      throw error;
    }
    return 'none';
  };

  test('a payee that is not valid', () => {
    const swapped = example.payee.replace(/[a-zA-Z](?=[^x]*$)/, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
    expect(refusal({ payee: swapped })).toMatch(/^PAYEE_INVALID/);
    expect(refusal({ payee: '0x1234' })).toMatch(/^PAYEE_INVALID/);
    expect(refusal({ payee: 'alice.eth' })).toMatch(/^PAYEE_INVALID/);
    expect(refusal({ payee: `0x${'0'.repeat(40)}` })).toMatch(/^PAYEE_INVALID.*zero/);
    expect(refusal({ payee: sepolia.address.toLowerCase() })).toMatch(/^PAYEE_INVALID.*token/);
  });

  test('a payee in lower case that is refused or keeps its form', () => {
    expect(rail.check(offerOf(sepolia, { payee: example.payee.toLowerCase(), amount: 1n }), sepolia)).toEqual({ payee: example.payee });
  });

  test('a token domain other than the registry’s', () => {
    expect(refusal({ extra: { name: 'USD Coin', version: '2' } })).toMatch(/^ASSET_MISMATCH.*"USD Coin".*"USDC"/);
    expect(refusal({ extra: { name: 'USDC', version: '1' } })).toMatch(/^ASSET_MISMATCH.*"1".*"2"/);
    expect(refusal({ extra: { version: 2 } })).toMatch(/^ASSET_MISMATCH/);
    expect(refusal({}, { ...sepolia, eip712: undefined } as unknown as Asset)).toMatch(/^ASSET_MISMATCH/);
    expect(refusal({ extra: { name: 'USD Coin', version: '2' } }, base)).toBe('none');
  });

  test('a transfer method or flow that is not ours', () => {
    expect(refusal({ extra: { assetTransferMethod: 'permit2' } })).toMatch(/^FLOW_UNSUPPORTED.*Permit2/);
    expect(refusal({ extra: { assetTransferMethod: 'erc7710' } })).toMatch(/^FLOW_UNSUPPORTED.*erc7710/);
    expect(refusal({ extra: { assetTransferMethod: 'eip3009' } })).toBe('none');
    expect(refusal({ paymentFlow: 'upfront' })).toBe('none');
    expect(refusal({ paymentFlow: 'escrow' })).toMatch(/^FLOW_UNSUPPORTED.*escrow/);
  });

  test('a life too short to settle', () => {
    expect(refusal({ maxTimeoutSeconds: 9 })).toMatch(/^NO_PAYABLE_OFFER.*9 s/);
    expect(refusal({ maxTimeoutSeconds: 10 })).toBe('none');
    expect(refusal({ maxTimeoutSeconds: 86_400 })).toBe('none');
  });
});
