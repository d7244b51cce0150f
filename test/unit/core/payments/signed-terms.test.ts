import { privateKeyToAccount } from 'viem/accounts';
import { toHex } from 'viem/utils';
import { describe, expect, test } from 'vitest';
import { settle } from '../../../support/manual-clock.ts';
import { createWorld, offer, PATIENCE_MS, PAYEE, USDC, type World } from '../../../support/payment-world.ts';

const payee = privateKeyToAccount(toHex(Buffer.alloc(32, 7)));
const other = privateKeyToAccount(toHex(Buffer.alloc(32, 8)));
const RESOURCE = 'mcp://tool/forecast';
const text = (name: string) => ({ name, type: 'string' });
const number = (name: string) => ({ name, type: 'uint256' });
const Offer = [number('version'), text('resourceUrl'), text('scheme'), text('network'), text('asset'), text('payTo'), text('amount'), number('validUntil')];
const Receipt = [number('version'), text('network'), text('resourceUrl'), text('payer'), number('issuedAt'), text('transaction')];

async function signedOffer(change: object = {}, signer = payee) {
  const payload = { version: 1, resourceUrl: RESOURCE, scheme: 'exact', network: 'eip155:84532', asset: USDC, payTo: payee.address, amount: '10000', validUntil: 0, ...change };
  return { format: 'eip712', payload, signature: await signer.signTypedData({ domain: { name: 'x402 offer', version: '1', chainId: 1 }, types: { Offer }, primaryType: 'Offer', message: payload }) };
}
const asked = (...offers: unknown[]) => {
  const required = { x402Version: 2, resource: { url: RESOURCE }, accepts: [offer('10000', { payTo: payee.address })], extensions: { 'offer-receipt': { info: { offers } } } };
  return { answer: { text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, structuredContent: required, content: [] } }) } };
};
const answer = (extensions: object = {}) => async () =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'sunny' }], _meta: { 'x402/payment-response': { success: true, transaction: '0xfeed', network: 'eip155:84532', extensions } } } });
const evidence = (world: World) => world.history.timeline(world.row().id).filter(({ kind }) => kind === 'evidence').map(({ detail }) => detail);
const allowed = () => createWorld({ policy: { otherwise: 'allow' } });

describe('an offer that the server signed', () => {
  test('is paid without a word of whose key it was', async () => {
    const own = allowed();
    expect(await own.call([answer()], asked(await signedOffer())).outcome).toMatchObject({ kind: 'answer' });
    expect(evidence(own)).toEqual(['The server\'s offer is signed with the payee\'s own key.']);
    expect(own.row().challengeText).toContain('"signature":"0x');

    const foreign = allowed();
    expect(await foreign.call([answer()], asked(await signedOffer({}, other))).outcome).toMatchObject({ kind: 'answer' });
    expect(evidence(foreign)).toEqual([expect.stringContaining(`signed by ${other.address}; whether`)]);
  });

  test.each([
    ['other terms', () => signedOffer({ amount: '9999' }), /signed other terms/],
    ['another payee', () => signedOffer({ payTo: PAYEE }), /signed other terms/],
    ['no valid signature', async () => ({ ...(await signedOffer()), signature: '0x12' }), /is not valid/],
    ['an end that is past', () => signedOffer({ validUntil: 1 }), /has expired/],
  ])('is paid without asking, although it has %s', async (_name, source, rule) => {
    const world = allowed();
    world.call([], asked(await source()));
    await settle();
    expect(world.row()).toMatchObject({ decision: 'waiting', rule: expect.stringMatching(rule) as string });
    expect(world.state.signed).toEqual([]);
    expect(evidence(world)).toHaveLength(1);
  });

  test('is held up where its signature cannot be checked, or read', async () => {
    for (const [source, note] of [
      [{ format: 'jws', signature: 'x' }, /cannot be read/],
      [{ format: 'jws', signature: `${btoa('{"alg":"EdDSA","kid":"did:web:a"}')}.${btoa(JSON.stringify((await signedOffer()).payload))}.AA`.replaceAll('=', '') }, /was not checked/],
    ] as const) {
      const world = allowed();
      expect(await world.call([answer()], asked(source)).outcome).toMatchObject({ kind: 'answer' });
      expect(evidence(world)).toEqual([expect.stringMatching(note)]);
    }
  });
});

describe('an offer that the server signed anew while the owner decided', () => {
  /** The agent was told to come back; the owner approves; it comes back with another challenge under the same terms. */
  const renewed = async (first: object, second: object) => {
    const world = createWorld();
    const { outcome } = world.call([], asked(first));
    await world.clock.advance(PATIENCE_MS);
    expect(await outcome).toMatchObject({ kind: 'pending' });
    await world.decide('approve');
    const again = world.call([answer()], asked(second));
    await settle();
    return { world, again };
  };

  test.each([
    ['other terms', () => signedOffer({ amount: '9999' }), /signed other terms/],
    ['no valid signature', async () => ({ ...(await signedOffer()), signature: '0x12' }), /is not valid/],
    ['an end that is past', () => signedOffer({ validUntil: 1 }), /has expired/],
  ])('is paid on the approval of the first, although it has %s', async (_name, source, rule) => {
    const { world, again } = await renewed(await signedOffer(), await source());
    expect(world.state.signed).toEqual([]);
    expect(world.rows()).toMatchObject([{ decision: 'waiting', money: 'reserved', rule: expect.stringMatching(rule) as string }, { decision: 'cancelled', money: 'none' }]);
    again.leave();
  });

  test('is paid without a word of its signature, or asks again for what the owner was shown', async () => {
    const good = await renewed(await signedOffer(), await signedOffer({ validUntil: 4_000_000_000 }));
    expect(await good.again.outcome).toMatchObject({ kind: 'answer' });
    expect(evidence(good.world)).toEqual(['The server\'s offer is signed with the payee\'s own key.', 'The server\'s offer is signed with the payee\'s own key.']);

    const bad = async () => ({ ...(await signedOffer()), signature: '0x12' });
    const shown = await renewed(await bad(), await bad());
    expect(await shown.again.outcome).toMatchObject({ kind: 'answer' });
    expect(shown.world.rows()).toHaveLength(1);
  });
});

describe('a receipt that the server signed', () => {
  const receipt = async (payer: string) => {
    const payload = { version: 1, network: 'eip155:84532', resourceUrl: RESOURCE, payer, issuedAt: 1, transaction: '' };
    return { format: 'eip712', payload, signature: await payee.signTypedData({ domain: { name: 'x402 receipt', version: '1', chainId: 1 }, types: { Receipt }, primaryType: 'Receipt', message: payload }) };
  };

  test('leaves no trace, or is not kept', async () => {
    const world = allowed();
    const source = await receipt('0x70997970c51812dc3a010c7d01b50e0d17dc79c8');
    await world.call([answer({ 'offer-receipt': { info: { receipt: source } } })], asked()).outcome;
    expect(evidence(world)).toEqual(['The server\'s receipt is signed with the payee\'s own key.']);
    expect(JSON.parse(world.row().receiptText)).toMatchObject({ extensions: { 'offer-receipt': { info: { receipt: source } } } });
  });

  test('of another payer passes for ours', async () => {
    const world = allowed();
    await world.call([answer({ 'offer-receipt': { info: { receipt: await receipt(other.address) } } })], asked()).outcome;
    expect(evidence(world)).toEqual([expect.stringMatching(/^It names another network or payer/)]);
  });

  test('that is none keeps the answer back', async () => {
    const world = allowed();
    expect(await world.call([answer({ 'offer-receipt': { info: { receipt: 'thanks' } } })], asked()).outcome).toMatchObject({ kind: 'answer' });
    expect(evidence(world)).toEqual(['The server\'s signed receipt cannot be read.']);
  });
});
