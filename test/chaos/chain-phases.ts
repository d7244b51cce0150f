import { setTimeout as delay } from 'node:timers/promises';
import { createEvmClients } from '../../src/sandbox/evm/clients.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Director } from './director.ts';
import { PATIENCE_MS, type Facilitators } from './facilitators.ts';
import type { House } from './house.ts';
import { readLedger } from './ledger-file.ts';
import type { PlannedCall } from './plan.ts';

const BLOCK_MS = 1_000;
/** Longer than a seller waits for its facilitator. */
const FROZEN_MS = PATIENCE_MS + 500;
/** Met only where a call does not come to its seller at all, or the application does not see a block. */
const GATE_LIMIT_MS = 10_000;
const OBSERVED_LIMIT_MS = 15_000;
/** `finalized` trails the head by two blocks, and a final block is never taken back. */
const REORG_DEPTH = 2;

/** The EVM under this run's control: a block for each transaction and one each second, until told otherwise. */
export interface EvmControl {
  pause(): void;
  go(): void;
  noBlocks(houses: readonly House[], calls: (house: House) => readonly PlannedCall[]): Promise<void>;
  frozen(houses: readonly House[], calls: (house: House) => readonly PlannedCall[]): Promise<void>;
  reorg(house: House, calls: readonly PlannedCall[]): Promise<void>;
  stop(): void;
}

export async function controlEvm({ sandbox, director, facilitators }: { sandbox: Sandbox; director: Director; facilitators: Facilitators }): Promise<EvmControl> {
  const { control, reader } = createEvmClients(sandbox.evm.rpcUrl);
  await control.setAutomine(true);
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => clearInterval(timer);
  const go = (): void => {
    pause();
    timer = setInterval(() => void control.mine({ blocks: 1 }).catch(() => {}), BLOCK_MS);
  };
  go();

  /** Lets the calls of all houses come to their sellers, then does `act` once before any of them goes on. */
  async function gather(houses: readonly House[], calls: (house: House) => readonly PlannedCall[], act: (call: PlannedCall) => void): Promise<void> {
    const expected = houses.reduce((sum, house) => sum + calls(house).length, 0);
    const all = Promise.withResolvers<void>();
    const limit = setTimeout(() => all.resolve(), GATE_LIMIT_MS);
    let come = 0;
    director.gate = async (call) => {
      if (++come >= expected) all.resolve();
      await all.promise;
      act(call);
    };
    await Promise.all(houses.map((house) => house.callAll(calls(house))));
    clearTimeout(limit);
    director.gate = undefined;
  }

  return {
    pause,
    go,
    stop: pause,

    async noBlocks(houses, calls) {
      pause();
      await control.setAutomine(false);
      await gather(houses, calls, () => director.hit('evm-no-blocks'));
      await control.setAutomine(true);
      await control.mine({ blocks: 1 });
      go();
    },

    async frozen(houses, calls) {
      pause();
      let thawed: Promise<void> | undefined;
      await gather(houses, calls, () => {
        director.hit('evm-frozen');
        if (thawed) return;
        process.kill(sandbox.anvilPid, 'SIGSTOP');
        thawed = delay(FROZEN_MS).then(() => void process.kill(sandbox.anvilPid, 'SIGCONT'));
      });
      await thawed;
      go();
    },

    async reorg(house, calls) {
      for (let from = 0; from < calls.length; from += REORG_DEPTH) {
        const some = calls.slice(from, from + REORG_DEPTH);
        pause();
        const id = await control.snapshot();
        const base = await reader.getBlockNumber();
        await house.callAll(some);
        const settled = await untilSettled(house, some);
        if ((await reader.getBlockNumber()) > base + BigInt(REORG_DEPTH)) {
          go(); // others mined too: what is final by now must not be taken back
          continue;
        }
        await control.revert({ id });
        for (const call of settled) {
          director.hit('evm-reorg');
          // The chain takes some of what it gave back in again, as a real reorganisation mostly does.
          const proof = director.proofs.findLast((seen) => seen.call === call.id);
          if (proof && call.id % 2 === 0) await facilitators.honest.settle({ x402Version: 2, ...proof }, proof.accepted);
        }
        go();
      }
    },
  };
}

/** The calls whose settlement the application has seen: only then is there something to take back. */
async function untilSettled(house: House, calls: readonly PlannedCall[]): Promise<readonly PlannedCall[]> {
  const deadline = performance.now() + OBSERVED_LIMIT_MS;
  for (;;) {
    const { rows } = readLedger(house.home);
    const settled = calls.filter((call) => rows.some((row) => row.arguments_text === JSON.stringify({ call: call.id }) && row.money === 'settled' && row.final === 0));
    if (settled.length === calls.length || performance.now() > deadline) return settled;
    await delay(50);
  }
}
