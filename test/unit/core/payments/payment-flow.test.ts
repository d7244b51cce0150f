import { describe, expect, test } from 'vitest';
import { settle } from '../../../support/manual-clock.ts';
import { challenge, createWorld, offer, PATIENCE_MS, served } from '../../../support/payment-world.ts';

const flow = (paymentFlow: string) => ({ answer: { text: challenge([offer('10000', { extra: { name: 'USDC', version: '2', paymentFlow } })]) } });
const answer = async () => served();

describe('a server that takes the money before it answers', () => {
  test('is paid without asking where a rule allows everything, or the owner is not told of the flow', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' } });
    const { outcome } = world.call([answer], flow('upfront'));
    await settle();
    expect(world.state.signed).toEqual([]);
    expect(world.row().rule).toMatch(/takes the money before it answers.*"upfront"/);
    await world.decide('approve');
    expect(await outcome).toMatchObject({ kind: 'answer' });
    expect(world.state.signed).toHaveLength(1);
  });

  test('is asked about although it settles as it delivers', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' } });
    expect(await world.call([answer], flow('authorization')).outcome).toMatchObject({ kind: 'answer' });
  });

  test.each([
    ['authorization', 'upfront'],
    ['upfront', 'authorization'],
  ])('I2: is paid in another flow than the owner saw: asked for %s, then %s', async (asked, later) => {
    const world = createWorld();
    world.call([], flow(asked));
    await settle();
    await world.clock.advance(PATIENCE_MS);
    world.call([answer], flow(later));
    await settle();
    expect(world.state.signed).toEqual([]);
    expect(world.rows().map(({ decision }) => decision)).toEqual(['waiting', 'cancelled']);
  });
});
