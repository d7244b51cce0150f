import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from '../../../../src/core/payments/call.ts';
import type { Observation, Rail } from '../../../../src/core/ports.ts';
import { BursarError } from '../../../../src/shared/errors/errors.ts';
import { settle } from '../../../support/manual-clock.ts';
import { createWorld, served, type World } from '../../../support/payment-world.ts';

const AMOUNT = 10_000n;
const toolError = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text: 'no' }] } });
const SERVERS = {
  serves: async () => served(),
  fails: async () => toolError,
  vanishes: async () => {
    throw new BursarError('UPSTREAM_EXITED', 'The server ended.');
  },
};

type Step =
  | { readonly do: 'call'; readonly city: number; readonly times: number; readonly server: keyof typeof SERVERS }
  | { readonly do: 'leave' | 'approve' | 'reject' | 'restart' | 'settle' | 'kill' }
  | { readonly do: 'wait'; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), city: fc.integer({ min: 1, max: 2 }), times: fc.constantFrom(1, 1, 3), server: fc.constantFrom('serves' as const, 'fails' as const, 'vanishes' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'approve' as const, 'approve' as const, 'approve' as const, 'reject' as const, 'restart' as const, 'settle' as const, 'kill' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 5, 50, 61, 300, 600) }) },
);

type Flow = Rail['flow'];

/** Where money moves before the retry, submitting shows what the chain shows; until then a card's amount is held and a transfer is on its way. */
function worldOf(flow: Flow): World {
  const unseen: Observation = { state: 'open', why: 'not seen', ...(flow === 'hold' && { held: true }) };
  const submit: Rail['submit'] = async (_terms, track) => world.chain.get(track['nonce']!) ?? unseen;
  const world: World = createWorld({ rail: { flow, ...(flow !== 'authorize' && { submit }) } });
  return world;
}

/** One history of agents, owner, chain and process, with what it must never show. */
function start(flow: Flow) {
  const world = worldOf(flow);
  let calls: { outcome: Promise<Outcome>; leave: () => void; done: boolean }[] = [];
  let approved = 0;

  const signed = () => world.rows().filter(({ proofText }) => proofText !== '');
  const check = () => {
    const rows = world.rows();
    for (const city of [1, 2]) {
      // What was delivered is done: an identical call after it is another intent.
      const alive = rows.filter(({ money, service, argumentsText }) => money === 'outstanding' && service !== 'delivered' && argumentsText.includes(String(city)));
      expect(alive.length, 'I10: two authorizations of one call are alive').toBeLessThanOrEqual(1);
    }
    expect(world.state.signed.length, 'I1: an approval was used twice').toBeLessThanOrEqual(approved);
    expect(world.state.signed.length, 'I4: a proof without a row').toBe(signed().length);
    const held = rows.filter(({ money }) => money === 'reserved' || money === 'outstanding' || money === 'settled').length;
    expect(world.spent(), 'I3: budget and rows differ').toBe(BigInt(held) * AMOUNT);
  };
  const onChain = (state: 'settled' | 'dead') => {
    for (const row of signed()) {
      const nonce = row.track!['nonce']!;
      if (world.chain.has(nonce)) continue;
      world.chain.set(nonce, state === 'settled' ? { state, transaction: `0x${nonce}`, final: true } : { state, why: 'expired' });
    }
  };

  async function run(next: Step): Promise<void> {
    switch (next.do) {
      case 'call':
        for (let turn = 0; turn < next.times; turn++) {
          const made = world.call(Array.from({ length: 4 }, () => SERVERS[next.server]), { argumentsText: `{"city":${next.city}}` });
          const call = { ...made, done: false };
          void (async () => {
            const outcome = await made.outcome;
            call.done = true;
            if (outcome.kind === 'answer') outcome.delivered(true);
          })();
          calls.push(call);
        }
        return;
      case 'leave':
        return calls.at(-1)?.leave();
      case 'approve':
      case 'reject':
        if (world.approvals.waiting().length === 0) return;
        if (next.do === 'approve') approved++;
        return world.decide(next.do);
      case 'restart':
        calls = [];
        return world.restart();
      case 'settle':
      case 'kill':
        return onChain(next.do === 'settle' ? 'settled' : 'dead');
      case 'wait':
        return world.clock.advance(next.seconds * 1000);
    }
  }

  return {
    async step(next: Step) {
      await run(next);
      await settle();
      check();
    },
    /** Everybody goes away and time passes. */
    async end() {
      await world.clock.advance(11 * 60_000);
      onChain('dead');
      await world.clock.advance(11 * 60_000);
      check();
      expect(calls.filter(({ done }) => !done), 'I9: a call without an answer').toEqual([]);
      for (const { money, decision, reason, service } of world.rows()) {
        expect(['none', 'settled', 'dead'], 'I9: money that nobody follows').toContain(money);
        expect(decision).not.toBe('waiting');
        if (service !== 'delivered') expect(reason.text, 'I9: a row without a reason').not.toBe('');
      }
    },
  };
}

test.each<Flow>(['authorize', 'prepay', 'hold'])('I1, I3, I4, I9, I10: with the flow %s, some order of calls, decisions, restarts and settlements pays twice, forgets money or leaves a call without an answer', async (flow) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const history = start(flow);
      for (const next of steps) await history.step(next);
      await history.end();
    }),
    { numRuns: 40 },
  );
}, 60_000);
