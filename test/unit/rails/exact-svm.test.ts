import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { getBase58Decoder } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Address } from '@solana/kit';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account, Proof } from '../../../src/core/ports.ts';
import { ASSETS, type Asset } from '../../../src/core/registry/assets.ts';
import { verifyExactSvm } from '../../../src/main/rails/exact-svm-decode.ts';
import { createExactSvm } from '../../../src/main/rails/exact-svm.ts';
import { isBursarError } from '../../../src/shared/errors/errors.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { keyRing, observeNever, offerOf, random, solanaAccount, termsOf } from './fixtures.ts';

const [mainnet, devnet] = ASSETS.filter((asset) => asset.network.startsWith('solana:')) as [Asset, Asset];
const NOW = Date.UTC(2026, 0, 1);
const signal = new AbortController().signal;
const base58 = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes);
const wallet = (fill: number): string => base58(new Uint8Array(32).fill(fill));
const BLOCKHASH = wallet(200);
/** A plain token paid from the payer's own account needs no look at any account. */
const accounts = () => {
  throw new Error('looked at accounts without being asked');
};
const latestBlockhash = () => Promise.resolve({ blockhash: BLOCKHASH, lastValidBlockHeight: 250n, slot: 100n });
const atMost = (max: number) => fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Uint8Array.from(bytes, (byte) => byte % (max + 1)));

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    if (isBursarError(error)) return error.code;
    throw error;
  }
  return 'none';
};

interface Input {
  readonly key: Uint8Array;
  readonly asset: Asset;
  readonly payee: string;
  readonly feePayer: string;
  readonly amount: bigint;
  readonly memo?: string | undefined;
}
async function signed(input: Input) {
  const account = await solanaAccount(input.key);
  const offer = offerOf(input.asset, { ...input, extra: { feePayer: input.feePayer, recentBlockhash: wallet(9), ...(input.memo === undefined ? {} : { memo: input.memo }) } });
  const terms: Terms = { ...termsOf(offer, input.asset, account), ...(input.memo !== undefined && { memo: input.memo }) };
  const rail = createExactSvm({ keys: keyRing(account, input.key), random, latestBlockhash, accounts, observe: observeNever });
  const proof = await rail.sign({ terms, offer, asset: input.asset, account, now: NOW, signal });
  return { rail, account, offer, terms, proof };
}
const wireOf = (proof: Proof): Buffer => Buffer.from((JSON.parse(proof.payloadText) as { transaction: string }).transaction, 'base64');
const payloadOf = (wire: Buffer): string => JSON.stringify({ transaction: wire.toString('base64') });

describe('signing a Solana transfer', () => {
  const example = { key: new Uint8Array(32).fill(7), payee: wallet(21), feePayer: wallet(22), amount: 10_000n, asset: devnet, memo: 'order 42' };
  const instance = { feePayer: example.feePayer, memo: new TextEncoder().encode(example.memo), blockhash: BLOCKHASH };
  let terms: Terms;
  let account: Account;
  let proof: Proof;
  let sample: Awaited<ReturnType<typeof signed>>;
  beforeAll(async () => {
    sample = await signed(example);
    ({ terms, account, proof } = sample);
  });

  test('a signed intent that does not decode to its terms', async () => {
    const intents = fc.record({
      key: atMost(255),
      payee: atMost(250).map(base58),
      feePayer: atMost(251).map(base58),
      amount: fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }),
      asset: fc.constantFrom(mainnet, devnet),
      memo: fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => new TextEncoder().encode(text).length <= 256), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(intents, async (input) => {
        const { proof: drawn, account: payer } = await signed(input);
        const [source] = await findAssociatedTokenPda({ owner: payer.address as Address, mint: input.asset.address as Address, tokenProgram: TOKEN_PROGRAM_ADDRESS });
        expect(drawn.track).toMatchObject({ source, blockhash: BLOCKHASH, lastValidBlockHeight: '250', slot: '100' });
        const wire = wireOf(drawn);
        expect(drawn.track.signature).toBe(base58(wire.subarray(65, 129)));
        expect(wire.includes(Buffer.from(input.memo ?? '', 'utf8'))).toBe(true);
        expect(wire.length).toBeLessThanOrEqual(1232);
      }),
      { numRuns: 50 },
    );
  });

  test('the server’s own, possibly stale blockhash that is used', () => {
    expect(proof.track.blockhash).toBe(BLOCKHASH);
  });

  test('one changed byte of the transaction that passes the check', async () => {
    const wire = wireOf(proof);
    await verifyExactSvm(proof.payloadText, terms, instance);
    await fc.assert(
      fc.asyncProperty(fc.nat(wire.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(wire);
        changed[at] = changed[at]! ^ change;
        expect(await codeOf(() => verifyExactSvm(payloadOf(changed), terms, instance))).toBe('PROOF_MISMATCH');
      }),
      { numRuns: 500 },
    );
  });

  test('bytes added or cut off that pass the check', async () => {
    const wire = wireOf(proof);
    expect(await codeOf(() => verifyExactSvm(payloadOf(Buffer.concat([wire, Buffer.from([0])])), terms, instance))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactSvm(payloadOf(wire.subarray(0, -1)), terms, instance))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactSvm(proof.payloadText.replace('}', ',"note":1}'), terms, instance))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactSvm('{}', terms, instance))).toBe('PROOF_MISMATCH');
  });

  test('one changed term that passes the check', async () => {
    const changes: Partial<Terms>[] = [{ payer: wallet(3) }, { payee: wallet(3) }, { amount: baseUnits(terms.amount - 1n) }, { asset: mainnet.address, network: mainnet.network }, { asset: wallet(3) }, { network: mainnet.network }];
    for (const change of changes) expect(await codeOf(() => verifyExactSvm(proof.payloadText, { ...terms, ...change }, instance)), JSON.stringify(Object.keys(change))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactSvm(proof.payloadText, terms, { ...instance, feePayer: wallet(3) }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactSvm(proof.payloadText, terms, { ...instance, blockhash: wallet(3) }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(() => verifyExactSvm(proof.payloadText, terms, { ...instance, memo: new Uint8Array([1]) }))).toBe('PROOF_MISMATCH');
  });

  test('an offer or account other than the terms that is signed all the same', async () => {
    const { rail, offer } = sample;
    const other = await solanaAccount(new Uint8Array(32).fill(5));
    const signWith = (change: object) => () => rail.sign({ terms, offer, asset: devnet, account, now: NOW, signal, ...change });
    expect(await codeOf(signWith({ offer: { ...offer, amount: '10001' } }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ offer: { ...offer, payee: wallet(3) } }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ asset: mainnet }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ account: other }))).toBe('PROOF_MISMATCH');
    expect(await codeOf(signWith({ terms: { ...terms, amount: baseUnits(1n) } }))).toBe('PROOF_MISMATCH');
  });

  test('a key of another account that signs for the payer', async () => {
    const rail = createExactSvm({ keys: keyRing(account, new Uint8Array(32).fill(8)), random, latestBlockhash, accounts, observe: observeNever });
    expect(await codeOf(() => rail.sign({ terms, offer: sample.offer, asset: devnet, account, now: NOW, signal }))).toBe('PROOF_MISMATCH');
  });

  test('a fee payer that takes part in the transfer', async () => {
    const [payeeAccount] = await findAssociatedTokenPda({ owner: example.payee as Address, mint: devnet.address as Address, tokenProgram: TOKEN_PROGRAM_ADDRESS });
    for (const feePayer of [account.address, payeeAccount, proof.track.source!]) expect(await codeOf(() => signed({ ...example, feePayer }))).toBe('CHALLENGE_MALFORMED');
  });
});

describe('offers that cannot be paid', () => {
  const example = { payee: wallet(21), amount: 1n, extra: { feePayer: wallet(22) } as object };
  const anyRail = createExactSvm({ keys: keyRing({} as Account, new Uint8Array(32)), random, latestBlockhash, accounts, observe: observeNever });
  const refusal = (change: Partial<Parameters<typeof offerOf>[1]>) => codeOf(() => anyRail.check(offerOf(devnet, { ...example, ...change }), devnet));

  test('a payee that is no wallet', async () => {
    for (const payee of ['0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '1111', devnet.address, '1'.repeat(32), TOKEN_PROGRAM_ADDRESS]) expect(await refusal({ payee })).toBe('PAYEE_INVALID');
    expect(await refusal({})).toBe('none');
  });

  test('a fee payer that is missing or no address', async () => {
    for (const extra of [{}, { feePayer: 1 }, { feePayer: 'x' }, { feePayer: devnet.address }]) expect(await refusal({ extra })).toBe('CHALLENGE_MALFORMED');
  });

  test('I2: a memo of the server other than the terms say, or one that they do not know of', async () => {
    const { rail: signer, account, offer, terms } = await signed({ key: new Uint8Array(32).fill(7), asset: devnet, payee: wallet(21), feePayer: wallet(22), amount: 10_000n, memo: 'order 42' });
    expect(signer.check(offer, devnet)).toMatchObject({ memo: 'order 42' });
    const { memo: _, ...without } = terms;
    for (const other of [without, { ...terms, memo: 'order 43' }]) {
      expect(await codeOf(() => signer.sign({ terms: other, offer, asset: devnet, account, now: NOW, signal }))).toBe('PROOF_MISMATCH');
    }
  });

  test('a memo that the memo program or the facilitator refuses', async () => {
    for (const memo of ['', 'x'.repeat(257), 'é'.repeat(129), 7, '\ud800']) expect(await refusal({ extra: { feePayer: wallet(22), memo } })).toBe('CHALLENGE_MALFORMED');
    expect(await refusal({ extra: { feePayer: wallet(22), memo: 'é'.repeat(128) } })).toBe('none');
  });

  test('an amount beyond a token account, or a flow that is not ours', async () => {
    expect(await refusal({ amount: 1n << 64n })).toBe('NO_PAYABLE_OFFER');
    expect(await refusal({ paymentFlow: 'upfront' })).toBe('none');
    expect(await refusal({ paymentFlow: 'escrow' })).toBe('FLOW_UNSUPPORTED');
  });
});
