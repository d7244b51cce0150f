import { expect, test } from 'vitest';
import { KEPT_FOR_MS } from '../../../../src/core/payments/kept-answers.ts';
import { createWorld, served, type World } from '../../../support/payment-world.ts';

const policy = { otherwise: 'allow' } as const;
const HOUR_MS = 60 * 60_000;

/** A purchase whose money moves and whose client goes away before the answer. */
async function missed(world: World, city = 1): Promise<void> {
  world.chain.set(String(world.state.signed.length), { state: 'settled', transaction: '0xfeed', final: true });
  const outcome = await world.call([async () => served('secret')], { argumentsText: `{"city":${city}}` }).outcome;
  if (outcome.kind !== 'answer') throw new Error(`got a ${outcome.kind}`);
  outcome.delivered(false);
  await world.clock.advance(1000);
}

test('I9: an answer that nobody comes for is kept for ever, or dropped while its client may still come', async () => {
  const world = createWorld({ policy });
  await missed(world);
  await world.clock.advance(KEPT_FOR_MS - HOUR_MS);
  expect(world.row()).toMatchObject({ service: 'lost', answerText: served('secret') });

  await world.clock.advance(2 * HOUR_MS);
  expect(world.row()).toMatchObject({ money: 'settled', service: 'lost', answerText: '', reason: { code: 'ANSWER_EXPIRED', text: expect.stringContaining('24 hours') } });
  expect(world.spent()).toBe(10_000n);
});

test('an answer that grew old while Bursar was not running is kept', async () => {
  const world = createWorld({ policy });
  await missed(world);
  world.clock.sleep(KEPT_FOR_MS);
  expect(world.row()).toMatchObject({ answerText: served('secret') });
  world.restart();
  expect(world.row()).toMatchObject({ answerText: '', reason: { code: 'ANSWER_EXPIRED' } });
});

test('the call whose answer was dropped is paid again without asking, or nobody can buy it any more', async () => {
  const world = createWorld({ policy });
  await missed(world);
  await world.clock.advance(KEPT_FOR_MS + HOUR_MS);
  const again = world.call([async () => served('anew')], { argumentsText: '{"city":1}' });
  await world.decide('approve');
  expect(await again.outcome).toMatchObject({ kind: 'answer', responseText: served('anew') });
  expect(world.rows()).toHaveLength(2);
});

test('a server that answered is distrusted because nobody came for its answers', async () => {
  const world = createWorld({ policy });
  for (const city of [1, 2, 3, 4]) await missed(world, city);
  await world.clock.advance(KEPT_FOR_MS + HOUR_MS);
  expect(world.rows().every(({ answerText }) => answerText === '')).toBe(true);
  expect(await world.call([async () => served()], { argumentsText: '{"city":5}' }).outcome).toMatchObject({ kind: 'answer' });
});

test('a ledger that was changed from outside is written to', async () => {
  const world = createWorld({ policy });
  await missed(world);
  world.tamper('A row was changed.');
  await world.clock.advance(KEPT_FOR_MS + HOUR_MS);
  expect(world.row()).toMatchObject({ answerText: served('secret') });
});
