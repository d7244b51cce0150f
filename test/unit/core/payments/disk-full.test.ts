import { expect, test } from 'vitest';
import { createWorld, served } from '../../../support/payment-world.ts';

const LARGE = 'x'.repeat(300_000);
const allowAll = { policy: { otherwise: 'allow' } } as const;

test('a full disk before the row is written sends the proof, or leaves the agent without a word of it (I1, I4, I9)', async () => {
  const world = createWorld(allowAll);
  const argumentsText = JSON.stringify({ city: LARGE });
  world.setDiskFull(true);
  const first = world.call([], { argumentsText });
  expect(await first.outcome).toMatchObject({ kind: 'refusal', error: { code: 'DISK_FULL', hint: expect.stringContaining('Free some space') } });
  expect([first.proofs, world.rows(), world.spent()]).toEqual([[], [], 0n]);

  world.setDiskFull(false);
  const second = world.call([async () => served()], { argumentsText });
  expect(await second.outcome).toMatchObject({ kind: 'answer' });
  expect(world.rows()).toHaveLength(1);
});

test('a full disk when the answer is there loses the payment, or has it paid twice (I1, I9)', async () => {
  const world = createWorld(allowAll);
  const first = world.call([
    async () => {
      world.setDiskFull(true);
      return served(LARGE);
    },
  ]);
  const refused = await first.outcome;
  expect(refused).toMatchObject({ kind: 'refusal', error: { message: expect.stringContaining('disk is full') } });
  expect(world.row()).toMatchObject({ decision: 'approved', money: 'outstanding' });

  world.setDiskFull(false);
  const second = world.call([async () => served(LARGE)]);
  expect(await second.outcome).toMatchObject({ kind: 'answer' });
  expect(second.proofs).toEqual(first.proofs);
  expect([world.state.signed.length, world.rows().length]).toEqual([1, 1]);
});
