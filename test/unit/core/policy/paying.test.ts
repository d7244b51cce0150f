import { expect, test } from 'vitest';
import { requireUsable } from '../../../../src/core/policy/check-policy.ts';
import { assetsInForce, assetsOf, assetsOfAll } from '../../../../src/core/policy/policy-assets.ts';
import { skeleton } from '../../../../src/core/registry/lookalike.ts';
import { createExactEvm } from '../../../../src/main/rails/exact-evm.ts';
import { defaultPolicy, Policy, type Paying, type TrustedAsset } from '../../../../src/shared/policy/policy.ts';
import { evmAccount, keyRing, observeNever, offerOf, random, termsOf } from '../../rails/fixtures.ts';

const NETWORK = 'eip155:84532';
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const own: TrustedAsset = { asset: `${NETWORK}/erc20:${ADDRESS.toLowerCase()}`, symbol: 'PLAY', decimals: 2, eip712: { name: 'Play', version: '1' } };
const policyOf = (paying: Paying): Policy => Policy.parse({ ...defaultPolicy('UTC'), caps: [], paying });

test.each<[string, Paying, RegExp]>([
  ['a token of the registry is given other decimals', { trusted: [{ ...own, asset: `${NETWORK}/erc20:0x036cbd53842c5426634e7929541ec2318f3dcf7e` }] }, /registry already/],
  ['a token has the name of another one', { trusted: [{ ...own, symbol: 'USDC' }] }, /symbol USDC/],
  ['a token has a name that looks like another one', { trusted: [{ ...own, symbol: 'U5DC' }] }, /symbol U5DC/],
  ['a token stands there twice', { trusted: [own, { ...own, symbol: 'TWO' }] }, /twice/],
  ['an account stands there twice', { accounts: [{ account: ADDRESS }, { account: ADDRESS.toLowerCase() }] }, /twice/],
  ['a preferred token is not known', { tokens: [own.asset] }, /not in the token registry/],
  ['a maximum counts in an unknown token', { accounts: [{ account: ADDRESS, max: { amount: '1', unit: own.asset } }] }, /not in the token registry/],
])('I7: %s', (_name, paying, why) => {
  expect(() => requireUsable(policyOf(paying))).toThrow(expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringMatching(why) }));
});

test('a limit in a trusted token is refused, or a policy from before trusted tokens is', () => {
  requireUsable({ ...policyOf({ trusted: [own] }), caps: [{ over: {}, window: 'day', unit: own.asset, amount: '1.25' }] });
  expect(() => requireUsable({ ...policyOf({ trusted: [own] }), caps: [{ over: {}, window: 'day', unit: own.asset, amount: '1.255' }] })).toThrow(/more than 2 decimal places/);
  requireUsable(Policy.parse(defaultPolicy('UTC')));
});

test('a token that is trusted no more is still paid, or cannot be shown any more', () => {
  const [before, after] = [policyOf({ trusted: [own] }), policyOf({})];
  let policy = before;
  const inForce = assetsInForce({ current: () => ({ number: 1, policy }) });
  expect(inForce.find(NETWORK, ADDRESS)).toMatchObject({ address: ADDRESS, symbol: 'PLAY', decimals: 2 });
  policy = after;
  expect(inForce.find(NETWORK, ADDRESS)).toBeUndefined();
  expect(assetsOfAll([after, before]).byId(own.asset)?.decimals).toBe(2);
});

test('I2: a trusted token cannot be paid, or is signed for once it is trusted no more', async () => {
  const key = new Uint8Array(32).fill(7);
  const account = evmAccount(key);
  const trusting = assetsOf(policyOf({ trusted: [own] }));
  const asset = trusting.find(NETWORK, ADDRESS)!;
  const offer = offerOf(asset, { payee: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', amount: 150n, extra: {} });
  const terms = termsOf(offer, asset, account);
  const request = { terms, offer, asset, account, now: 1_800_000_000_000, signal: AbortSignal.timeout(5000) };
  const ports = { keys: keyRing(account, key), random, observe: observeNever };
  expect((await createExactEvm({ ...ports, assets: trusting }).sign(request)).track).toMatchObject({ kind: 'eip3009' });
  await expect(createExactEvm({ ...ports, assets: assetsOf(policyOf({})) }).sign(request)).rejects.toMatchObject({ code: 'PROOF_MISMATCH' });
});

test.each(['USDC', 'usdc', 'U\u0405DC', '\u054dSD\u0421', 'USD\u0421', 'U.S.D.C', 'USDC\u202e', '\ud835\udc14\ud835\udc12\ud835\udc03\ud835\udc02', 'U$DC', 'USD\u200dC'])('%j is taken for another name than USDC', (name) => {
  expect(skeleton(name)).toBe(skeleton('USDC'));
});

test('USDC.e and EURC are taken for USDC', () => {
  for (const other of ['USDC.e', 'EURC', 'USDT', 'DAI', '']) expect(skeleton(other)).not.toBe(skeleton('USDC'));
});
