import { generateKeyPairSync, sign as signBytes, type JsonWebKey } from 'node:crypto';
import { base58 } from '@scure/base';
import { sign as signHash, privateKeyToAccount } from 'viem/accounts';
import { sha256, toHex } from 'viem/utils';
import { describe, expect, test } from 'vitest';
import { signedOffers, signedReceipt } from '../../../src/core/challenges/offer-receipt.ts';
import { parseJson, type Json, type JsonObject } from '../../../src/core/json/json.ts';
import { createSignatures } from '../../../src/main/adapters/signatures.ts';

/** The keys are made here, the checks are by the texts of the extension's specification (sections 3 to 5). */

const { signerOf } = createSignatures();
const PAYLOAD = { version: 1, resourceUrl: 'https://api.example.com/premium-data', scheme: 'exact', network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', amount: '10000', validUntil: 1_703_123_516 };
const json = (value: unknown) => parseJson(JSON.stringify(value));
const offer = (source: object) => signerOf(signedOffers(json({ extensions: { 'offer-receipt': { info: { offers: [source] } } } }) as JsonObject).artifacts[0]!);
const receipt = (source: object) => {
  const artifact = signedReceipt(json({ extensions: { 'offer-receipt': { info: { receipt: source } } } }));
  if (artifact === undefined || artifact === 'unreadable') throw new Error('no receipt');
  return signerOf(artifact);
};

describe('EIP-712', () => {
  const key = toHex(Buffer.alloc(32, 7));
  const account = privateKeyToAccount(key);
  const text = (name: string) => ({ name, type: 'string' });
  const number = (name: string) => ({ name, type: 'uint256' });
  const Offer = [number('version'), text('resourceUrl'), text('scheme'), text('network'), text('asset'), text('payTo'), text('amount'), number('validUntil')];
  const Receipt = [number('version'), text('network'), text('resourceUrl'), text('payer'), number('issuedAt'), text('transaction')];
  const signOffer = (message: Record<string, unknown>) => account.signTypedData({ domain: { name: 'x402 offer', version: '1', chainId: 1 }, types: { Offer }, primaryType: 'Offer', message });

  test('the signer of an offer is not found', async () => {
    expect(await offer({ format: 'eip712', payload: PAYLOAD, signature: await signOffer(PAYLOAD) })).toEqual({ state: 'signed', name: account.address, addresses: [account.address] });
  });

  test('an offer without an end is another message than one that ends at zero', async () => {
    const { validUntil: _until, ...payload } = PAYLOAD;
    expect(await offer({ format: 'eip712', payload, signature: await signOffer({ ...payload, validUntil: 0 }) })).toMatchObject({ addresses: [account.address] });
  });

  test('a changed offer has the same signer', async () => {
    expect(await offer({ format: 'eip712', payload: { ...PAYLOAD, amount: '1' }, signature: await signOffer(PAYLOAD) })).not.toMatchObject({ addresses: [account.address] });
  });

  test('the signer of a receipt is not found', async () => {
    const payload = { version: 1, network: 'eip155:8453', resourceUrl: 'https://api.example.com/premium-data', payer: '0x857b06519E91e3A54538791bDbb0E22373e36b66', issuedAt: 1_703_123_456 };
    const signature = await account.signTypedData({ domain: { name: 'x402 receipt', version: '1', chainId: 1 }, types: { Receipt }, primaryType: 'Receipt', message: { ...payload, transaction: '' } });
    expect(await receipt({ format: 'eip712', payload, signature })).toMatchObject({ state: 'signed', addresses: [account.address] });
  });

  test.each([
    ['no signature', PAYLOAD, '0x1234'],
    ['a signature of nothing', PAYLOAD, `0x${'00'.repeat(65)}`],
    ['a field that is not signed', { ...PAYLOAD, note: 'x' }, undefined],
    ['a field of another type', { ...PAYLOAD, amount: 10000 }, undefined],
    ['a field that is missing', { ...PAYLOAD, payTo: undefined }, undefined],
  ])('counts as signed: %s', async (_name, payload, signature) => {
    expect(await offer({ format: 'eip712', payload, signature: signature ?? (await signOffer(PAYLOAD)) })).toEqual({ state: 'false' });
  });
});

describe('JWS', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const didJwk = (jwk: JsonWebKey) => `did:jwk:${part(jwk)}#0`;
  const jws = (header: object, proof: (signed: Buffer) => Uint8Array, payload: object = PAYLOAD) => {
    const signed = `${part(header)}.${part(payload)}`;
    return { format: 'jws', signature: `${signed}.${Buffer.from(proof(Buffer.from(signed))).toString('base64url')}` };
  };
  const ed = generateKeyPairSync('ed25519');
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const edJwk = ed.publicKey.export({ format: 'jwk' });
  const p256Jwk = p256.publicKey.export({ format: 'jwk' });
  const byEd = (signed: Buffer) => signBytes(null, signed, ed.privateKey);
  const byP256 = (signed: Buffer) => signBytes('sha256', signed, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' });

  test('the signer by EdDSA is not found, or not as the Solana address that it is', async () => {
    const kid = didJwk(edJwk);
    expect(await offer(jws({ alg: 'EdDSA', kid }, byEd))).toEqual({ state: 'signed', name: kid, addresses: [base58.encode(Buffer.from(edJwk.x!, 'base64url'))] });
  });

  test('the signer by ES256 is not found, where the key is in the header', async () => {
    expect(await offer(jws({ alg: 'ES256', kid: 'did:web:api.example.com#key-1', jwk: p256Jwk }, byP256))).toEqual({ state: 'signed', name: 'did:web:api.example.com#key-1', addresses: [] });
  });

  test('the signer by ES256K is not found, or not as the address that it is', async () => {
    const key = toHex(Buffer.alloc(32, 9));
    const account = privateKeyToAccount(key);
    const point = Buffer.from(account.publicKey.slice(4), 'hex');
    const jwk = { kty: 'EC', crv: 'secp256k1', x: point.subarray(0, 32).toString('base64url'), y: point.subarray(32).toString('base64url') };
    const header = { alg: 'ES256K', kid: 'did:web:x', jwk };
    const signed = `${part(header)}.${part(PAYLOAD)}`;
    const { r, s } = await signHash({ hash: sha256(Buffer.from(signed)), privateKey: key, to: 'object' });
    const source = jws(header, () => Buffer.from(r.slice(2) + s.slice(2), 'hex'));
    expect(await offer(source)).toEqual({ state: 'signed', name: 'did:web:x', addresses: [account.address] });
    expect(await offer({ ...source, signature: source.signature.replace(part(PAYLOAD), part({ ...PAYLOAD, amount: '1' })) })).toEqual({ state: 'false' });
  });

  test.each([
    ['a changed offer', () => { const source = jws({ alg: 'EdDSA', kid: didJwk(edJwk) }, byEd); return { ...source, signature: source.signature.replace(part(PAYLOAD), part({ ...PAYLOAD, amount: '1' })) }; }],
    ['a key that is not the named one', () => jws({ alg: 'ES256', kid: didJwk(edJwk), jwk: p256Jwk }, byP256)],
    ['a key of another kind', () => jws({ alg: 'ES256', kid: 'k', jwk: edJwk }, byEd)],
    ['a key that is none', () => jws({ alg: 'EdDSA', kid: 'k', jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } }, byEd)],
    ['no name of a key', () => jws({ alg: 'ES256', jwk: p256Jwk }, byP256)],
    ['a fourth part', () => { const source = jws({ alg: 'EdDSA', kid: didJwk(edJwk) }, byEd); return { ...source, signature: `${source.signature}.x` }; }],
  ])('counts as signed: %s', async (_name, source) => {
    expect(await offer(source())).toEqual({ state: 'false' });
  });

  test.each([
    ['a key that has to be fetched', { alg: 'EdDSA', kid: 'did:web:api.example.com#key-1' }],
    ['an unknown algorithm', { alg: 'none', kid: 'k', jwk: edJwk }],
  ])('is called false, or signed: %s', async (_name, header) => {
    expect(await offer(jws(header, byEd))).toMatchObject({ state: 'unknown' });
  });

  test('a private key that a server put in the header is handed on', async () => {
    const jwk = p256.privateKey.export({ format: 'jwk' });
    expect(await offer(jws({ alg: 'ES256', kid: 'k', jwk }, byP256))).toMatchObject({ state: 'signed' });
  });
});

test('any header of a JWS throws', async () => {
  for (const jwk of [null, 7, [], {}, { kty: 'EC' }, { kty: 'EC', crv: 'P-256', x: '', y: '' }, { kty: 'EC', crv: 'secp256k1', x: '%', y: '%' }] as Json[]) {
    for (const alg of ['ES256', 'ES256K', 'EdDSA']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'did:jwk:e30#0', jwk })).toString('base64url');
      const { state } = await offer({ format: 'jws', signature: `${header}.${Buffer.from('{"version":1}').toString('base64url')}.${Buffer.alloc(64, 1).toString('base64url')}` });
      expect(['false', 'unknown']).toContain(state);
    }
  }
});
