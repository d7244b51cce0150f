import { describe, expect, test } from 'vitest';
import { BursarError } from '../../../../src/shared/errors/errors.ts';
import { settle } from '../../../support/manual-clock.ts';
import { createWorld, served } from '../../../support/payment-world.ts';

const { signal } = new AbortController();
const policy = { otherwise: 'allow' } as const;
const gone = async () => {
  throw new BursarError('UPSTREAM_EXITED', 'The server "weather" ended.');
};
const kinds = (world: ReturnType<typeof createWorld>) => world.history.timeline(world.row().id).map(({ kind }) => kind);

/** A payment that is signed, unanswered and not settled. */
async function open() {
  const world = createWorld({ policy });
  await world.call([gone]).outcome;
  return { world, id: world.row().id, cancel: (maxFee = 100n) => world.cancellations.cancel(world.row().id, maxFee, signal) };
}

describe('cancelling a signed payment', () => {
  test('I5: the owner\'s cancellation frees the budget before the chain says that the money is dead', async () => {
    const { world, id, cancel } = await open();
    expect(await world.cancellations.cost(id, signal)).toMatchObject({ coin: 'ETH', maxFee: 100n });
    expect(await cancel()).toBe('0xcancel0');
    expect(world.row()).toMatchObject({ money: 'outstanding' });
    expect(world.spent()).toBe(10_000n);
    world.chain.set('0', { state: 'dead', why: 'The authorization was cancelled.' });
    await world.clock.advance(1000);
    expect(world.row()).toMatchObject({ money: 'dead' });
    expect(world.spent()).toBe(0n);
  });

  test('I4: a cancellation leaves before the journal has it, or a failed one is forgotten', async () => {
    const { world, cancel } = await open();
    world.state.sending = new BursarError('CHAIN_UNREACHABLE', 'The RPC did not answer.');
    await expect(cancel()).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
    expect(kinds(world).slice(-2)).toEqual(['cancelling', 'cancel-failed']);
    expect(world.history.timeline(world.row().id).at(-2)?.detail).toContain('0xcancel0');
    expect(world.row()).toMatchObject({ money: 'outstanding' });
  });

  test('two clicks send two transactions', async () => {
    const { world, cancel } = await open();
    const both = await Promise.allSettled([cancel(), cancel()]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(world.state.cancelled).toEqual(['0']);
  });

  test('what the chain shows as settled by now is cancelled', async () => {
    const { world, cancel } = await open();
    world.chain.set('0', { state: 'settled', transaction: '0xfeed', final: false });
    await expect(cancel()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(world.row()).toMatchObject({ money: 'settled' });
    expect(world.state.cancelled).toEqual([]);
  });

  test('a delivered payment, one under way or one that was never signed is cancelled', async () => {
    const world = createWorld({ policy });
    const refused = { code: 'INPUT_INVALID' };
    let finish = (_text: string) => {};
    const call = world.call([() => new Promise((resolve) => (finish = resolve))]);
    await settle();
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'open' });
    await expect(world.cancellations.cancel(world.row().id, 100n, signal)).rejects.toMatchObject(refused);
    finish(served());
    const outcome = await call.outcome;
    if (outcome.kind === 'answer') outcome.delivered(true);
    await expect(world.cancellations.cancel(world.row().id, 100n, signal)).rejects.toMatchObject(refused);

    const waits = createWorld({ policy });
    const left = await waits.call([async () => served()]).outcome;
    if (left.kind === 'answer') left.delivered(false);
    expect(waits.row()).toMatchObject({ money: 'outstanding', service: 'lost' });
    await expect(waits.cancellations.cancel(waits.row().id, 100n, signal), 'an answer that waits for its client').rejects.toMatchObject(refused);

    const asked = createWorld();
    asked.call([]);
    await settle();
    await expect(asked.cancellations.cancel(asked.row().id, 100n, signal)).rejects.toMatchObject(refused);
    await expect(asked.cancellations.cancel('pay_none', 100n, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(world.state.cancelled).toEqual([]);
  });
});
