import type { EvmControl } from './chain-phases.ts';
import type { Director } from './director.ts';
import { ALL_FAULTS, isAppFault, isKill, type Fault } from './faults.ts';
import type { House } from './house.ts';
import { forFault, type Plan, type PlannedCall } from './plan.ts';
import { MIN_HITS } from './report.ts';

const ROUNDS = 4;

interface Stage {
  readonly plan: Plan;
  readonly houses: readonly House[];
  readonly director: Director;
  readonly evm: EvmControl;
  readonly say: (line: string) => void;
}

/**
 * Gives the faults that struck too seldom another chance, each with a call of the reserve; what is left of it are ordinary calls. On a slow
 * machine a call may fail before its fault's turn comes, so luck must not decide whether the matrix was covered.
 */
export async function makeUp({ plan, houses, director, evm, say }: Stage): Promise<void> {
  const reserves = houses.map(({ number }) => [...plan.houses[number]!.reserve]);
  for (let round = 0; round < ROUNDS; round++) {
    const missing = ALL_FAULTS.flatMap((fault) => Array.from({ length: Math.max(0, MIN_HITS - (director.hits.get(fault) ?? 0)) }, () => fault));
    if (missing.length === 0) break;
    say(`struck too seldom: ${missing.join(', ')}`);
    for (const fault of missing) {
      // Where the fuller reserve is; one request may have met a fault of an RPC server more than once.
      const index = reserves.reduce((fullest, { length }, at) => (length > reserves[fullest]!.length ? at : fullest), 0);
      const [house, spare] = [houses[index]!, reserves[index]!.shift()];
      if (!spare || (director.hits.get(fault) ?? 0) >= MIN_HITS) continue;
      const call = forFault(spare, fault);
      director.replan(call);
      await strike(fault, { house, call, evm });
    }
  }
  await Promise.all(houses.map(async (house, index) => {
    await house.calmDown();
    await house.callAll(reserves[index]!);
  }));
}

async function strike(fault: Fault, { house, call, evm }: { house: House; call: PlannedCall; evm: EvmControl }): Promise<void> {
  if (isKill(fault)) return house.runWave({ calls: [call], kill: fault, nth: 1 });
  if (isAppFault(fault)) return house.runWave({ calls: [call], appFault: fault, nth: 1 });
  await house.calmDown();
  if (fault === 'evm-no-blocks') return evm.noBlocks([house], () => [call]);
  if (fault === 'evm-frozen') return evm.frozen([house], () => [call]);
  if (fault === 'evm-reorg') return evm.reorg(house, [call]);
  await house.callAll([call]);
}
