import { describe, expect, test } from 'vitest';
import { AGENT_FAULTS, APP_FAULTS, CHAIN_FAULTS, KILLS, SELLER_FAULTS, SOLANA_FAULTS } from '../../chaos/faults.ts';
import { drawPlan } from '../../chaos/plan.ts';

describe('the plan of a chaos run', () => {
  test('the printed seed gives another history, or another seed the same', () => {
    expect(drawPlan(7, 300)).toEqual(drawPlan(7, 300));
    expect(drawPlan(8, 300)).not.toEqual(drawPlan(7, 300));
  });

  test.each([300, 1000])('%i calls have a fault of the matrix fewer than seven times, or other calls than asked for', (calls) => {
    const { calls: planned, houses } = drawPlan(7, calls);
    const waves = houses.flatMap((house) => house.waves);
    const all = [...waves.flatMap((wave) => wave.calls), ...houses.flatMap(({ chainPhases, reserve }) => [...Object.values(chainPhases).flat(), ...reserve])];
    expect(planned).toBe(calls);
    expect(new Set(all.map(({ id }) => id)).size).toBe(calls);
    for (const fault of [...SELLER_FAULTS, ...SOLANA_FAULTS, ...AGENT_FAULTS]) expect(all.filter((call) => call.fault === fault).length, fault).toBeGreaterThanOrEqual(7);
    for (const fault of CHAIN_FAULTS) expect(houses.flatMap((house) => house.chainPhases[fault]).length, fault).toBeGreaterThanOrEqual(7);
    for (const kill of KILLS) expect(waves.filter((wave) => wave.kill === kill).length, kill).toBeGreaterThanOrEqual(7);
    for (const fault of APP_FAULTS) expect(waves.some((wave) => wave.appFault === fault), fault).toBe(true);
  });
});
