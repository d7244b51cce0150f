import { describe, expect, test } from 'vitest';
import { createWorld, served } from '../../../support/payment-world.ts';

const allowAll = { otherwise: 'allow' } as const;
const settled = { state: 'settled', transaction: '0xbatch', final: true } as const;

describe('I1, I9: one transfer on the chain', () => {
  /** Two paid calls; `tracks` is what each can be found by. */
  const twoPayments = async (tracks: readonly Readonly<Record<string, string>>[]) => {
    let signed = 0;
    const world = createWorld({
      policy: allowAll,
      rail: { sign: async ({ now }) => ({ payloadText: '{}', track: tracks[signed++]!, outstandingUntil: now + 60_000 }), observe: async () => settled },
    });
    for (const city of ['Berlin', 'Paris']) {
      const outcome = await world.call([async () => served()], { argumentsText: JSON.stringify({ city }), tool: city }).outcome;
      if (outcome.kind === 'answer') outcome.delivered(true);
      await world.clock.advance(5_000);
    }
    await world.clock.advance(120_000);
    return world;
  };

  test.each([
    ['the same nonce', [{ nonce: '7' }, { nonce: '7' }]],
    ['nothing that tells them apart', [{ signature: 'a' }, { signature: 'b' }]],
  ])('settles two payments of %s', async (_name, tracks) => {
    const world = await twoPayments(tracks);
    const [second, first] = world.rows();
    expect(first).toMatchObject({ money: 'settled', transaction: '0xbatch', final: true });
    expect(second).toMatchObject({ money: 'outstanding', transaction: '', reason: { text: expect.stringContaining(`is the settlement of payment ${first!.id} already`) } });
    expect(world.spent()).toBe(20_000n);
  });

  test('is not found for a payment because another authorization was settled by the same transaction', async () => {
    const world = await twoPayments([{ nonce: '7' }, { nonce: '8' }]);
    expect(world.rows().map(({ money, transaction }) => `${money} ${transaction}`)).toEqual(['settled 0xbatch', 'settled 0xbatch']);
  });

  test('is lost for the payment that it settled, when that one is looked at again', async () => {
    let look: typeof settled | { state: 'settled'; transaction: string; final: false } = { ...settled, final: false };
    const world = createWorld({ policy: allowAll, rail: { observe: async () => look } });
    const outcome = await world.call([async () => served()]).outcome;
    if (outcome.kind === 'answer') outcome.delivered(true);
    await world.clock.advance(5_000);
    expect(world.row()).toMatchObject({ money: 'settled', final: false });
    look = settled;
    await world.clock.advance(60_000);
    expect(world.row()).toMatchObject({ money: 'settled', final: true });
  });
});
