import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { SOLANA_NETWORK } from '../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { PayTo } from '../../src/sandbox/seller/payment/terms.ts';
import { ownerContract } from '../support/contract.ts';
import { audit, type Audit, type HouseToAudit } from './audit.ts';
import { controlEvm, type EvmControl } from './chain-phases.ts';
import { createDirector, type Director } from './director.ts';
import { CONFIRMATION_MS, openFacilitators } from './facilitators.ts';
import type { Fault } from './faults.ts';
import { openHouse, type House } from './house.ts';
import { isAtRest, readLedger } from './ledger-file.ts';
import { makeUp } from './make-up.ts';
import { drawPlan, PRICE, UPSTREAMS, type Plan, type PlannedCall } from './plan.ts';
import { createChaosSeller, type Reply } from './seller.ts';
import { serveSellers } from './seller-server.ts';

/** Shorter than on the real network, so that finality and expiry come within the run. */
const SLOT_MS = 200;
/** Rounds in which agents that are not done come again, and how many of them at once. */
const MOP_UP_ROUNDS = 8;
const MOP_UP_AT_ONCE = 12;
/** Past every authorization's end: in seconds of the EVM and in Solana's slots. */
const EVM_AHEAD_S = 1_000;
const SOLANA_AHEAD_SLOTS = 400;
const AT_REST_LIMIT_MS = 180_000;

export interface Outcome extends Audit {
  readonly calls: number;
  readonly seed: number;
  readonly hits: ReadonlyMap<Fault, number>;
}

/** Plays the whole history that a seed draws, and audits it. */
export async function runChaos({ seed, calls, say }: { seed: number; calls: number; say: (line: string) => void }): Promise<Outcome> {
  const plan = drawPlan(seed, calls);
  const director = createDirector(new Map(plan.houses.flatMap(({ waves, chainPhases, reserve }, house) => [...waves.flatMap((wave) => wave.calls), ...Object.values(chainPhases).flat(), ...reserve].map((call) => [call.id, { call, house }] as const))));
  const begun = performance.now();
  const stage = (words: string): void => say(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${words}`);

  const sandbox = await startSandbox({ faults: true, slotMs: SLOT_MS, confirmationTimeoutMs: CONFIRMATION_MS });
  const facilitators = await openFacilitators(sandbox, director);
  const evm = await controlEvm({ sandbox, director, facilitators });
  const sellers = await serveSellers(await makeSellers(plan, sandbox, { director, facilitators }));
  const dayLimit = PRICE * BigInt(plan.calls) * 2n;
  const houses: House[] = [];
  let sound = false;
  try {
    for (const number of plan.houses.keys()) houses.push(await openHouse({ number, sandbox, sellersUrl: sellers.url, director, say: stage, dayLimit }));
    await Promise.all(houses.map(async (house) => {
      for (const wave of plan.houses[house.number]!.waves) await house.runWave(wave);
    }));
    stage('waves are over');
    await playChainPhases(plan, houses, evm);
    stage('chain phases are over');
    await Promise.all(houses.map(finish));
    await makeUp({ plan, houses, director, evm, say: stage });
    await Promise.all(houses.map(finish));
    stage('agents are done');
    const evmMovedAt = Date.now();
    const audited = await bringToRest(houses, sandbox, dayLimit);
    stage('chains moved on');
    const result = await audit({ sandbox, houses: audited, proofs: director.proofs, evmMovedAt });
    sound = result.problems.length === 0;
    return { ...result, calls: plan.calls, seed, hits: director.hits };
  } finally {
    evm.stop();
    for (const house of houses) await house.stop();
    await sellers.close();
    await facilitators.close();
    await sandbox.close();
    // What went wrong is in the data folders.
    if (sound) for (const house of houses) rmSync(house.home, { recursive: true, force: true });
  }
}

/** Lets the agents that are not done come back in turns, until a round gets nothing more done. */
async function finish(house: House): Promise<void> {
  let left: readonly PlannedCall[] = house.unfinished();
  for (let round = 0; round < MOP_UP_ROUNDS && left.length > 0; round++) {
    await house.calmDown();
    const queue = [...left];
    const agent = async (): Promise<void> => {
      for (let call = queue.shift(); call; call = queue.shift()) await house.callAll([call]);
    };
    await Promise.all(Array.from({ length: MOP_UP_AT_ONCE }, agent));
    const before = left.length;
    left = house.unfinished();
    if (round > 0 && left.length === before) return;
  }
}

/** One seller for each house and server name, each paid at addresses of its own, so that the chains tell them apart. */
async function makeSellers(plan: Plan, sandbox: Sandbox, parts: { director: Director; facilitators: Awaited<ReturnType<typeof openFacilitators>> }): Promise<Map<string, (text: string) => Promise<Reply>>> {
  const { kinds } = await parts.facilitators.honest.supported();
  const solanaFeePayer = String(kinds.find(({ network }) => network === SOLANA_NETWORK)?.extra?.['feePayer']);
  const strangers = await addresses(sandbox, 'stranger');
  const sellers = new Map<string, (text: string) => Promise<Reply>>();
  for (const house of plan.houses.keys()) {
    for (const name of UPSTREAMS) {
      const payTo = await addresses(sandbox, `${house} ${name}`);
      sellers.set(`${house}-${name}`, createChaosSeller({ ...parts, payTo, strangers, solanaFeePayer, solanaRpcUrl: sandbox.solana.rpcUrl }));
    }
  }
  return sellers;
}

async function addresses(sandbox: Sandbox, role: string): Promise<PayTo> {
  const key = createHash('sha256').update(`bursar chaos: ${role}`).digest();
  const { address: solana } = await createKeyPairSignerFromPrivateKeyBytes(key);
  await sandbox.fund({ network: SOLANA_NETWORK, address: solana, usdc: 0n });
  return { evm: privateKeyToAddress(toHex(key)), solana };
}

async function playChainPhases(plan: Plan, houses: readonly House[], evm: EvmControl): Promise<void> {
  const phase = (house: House) => plan.houses[house.number]!.chainPhases;
  await Promise.all(houses.map((house) => house.calmDown()));
  await evm.noBlocks(houses, (house) => phase(house)['evm-no-blocks']);
  await evm.frozen(houses, (house) => phase(house)['evm-frozen']);
  for (const house of houses) await evm.reorg(house, phase(house)['evm-reorg']);
}

/** Restarts every application, moves both chains past every authorization, and waits until no row is open. */
async function bringToRest(houses: readonly House[], sandbox: Sandbox, dayLimit: bigint): Promise<HouseToAudit[]> {
  await Promise.all(houses.map((house) => house.restart()));
  await sandbox.time.advanceEvm(EVM_AHEAD_S);
  sandbox.time.advanceSolana(SOLANA_AHEAD_SLOTS);
  const deadline = performance.now() + AT_REST_LIMIT_MS;
  while (performance.now() < deadline && !houses.every((house) => readLedger(house.home).rows.every(isAtRest))) await delay(100);
  return Promise.all(
    houses.map(async ({ home, number }) => {
      const contract = await ownerContract(home);
      const { accounts } = await contract.request('accounts.list', {});
      const { todayUnits } = await contract.request('payments.spend', {});
      contract.close();
      const addressOn = (namespace: string) => accounts.find((account) => account.namespace === namespace)?.address ?? '';
      return { home, number, dayLimit, todayUnits: BigInt(todayUnits), accounts: { eip155: addressOn('eip155'), solana: addressOn('solana') } };
    }),
  );
}
