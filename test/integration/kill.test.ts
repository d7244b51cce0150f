import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { allowEverything, ownerContract } from '../support/contract.ts';
import { httpAgent } from '../support/http-agent.ts';
import { sandboxEnv } from '../support/sandbox-env.ts';

/** I1, I4, I9: the application is killed with SIGKILL at the places where a payment could be doubled or lost. */

const CHAINS = [
  { chain: 'EVM', network: 'eip155:84532', tool: 'sun_times', payee: 'evm' },
  { chain: 'Solana', network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', tool: 'moon_phase', payee: 'solana' },
] as const;

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess | undefined;

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, facilitatorTimeoutMs: 60_000 });
  env = sandboxEnv(sandbox);
});
afterEach(async () => {
  sandbox.faults?.clear();
  await app?.stop();
});
afterAll(() => sandbox?.close());

const args = (tool: string) => (tool === 'sun_times' ? { latitude: 52.5, longitude: 13.4, date: '2026-06-21' } : { date: '2026-06-21' });

async function start(home?: string, failpoint?: string): Promise<AppProcess> {
  app = await startApp({ build: 'out-test', env: { ...env, ...(failpoint !== undefined && { BURSAR_FAILPOINT: failpoint }) }, ...(home !== undefined && { home }) });
  return app;
}

async function row({ home }: AppProcess) {
  const contract = await ownerContract(home);
  try {
    const { payments } = await contract.request('payments.list', {});
    expect(payments.length).toBe(1);
    return payments[0]!;
  } finally {
    contract.close();
  }
}

const spentToday = async ({ home }: AppProcess) => {
  const contract = await ownerContract(home);
  const { todayUnits } = await contract.request('payments.spend', {});
  contract.close();
  return todayUnits;
};

/** A fresh home whose owner lets everything through, killed while it pays. Gives the home. */
async function killedWhilePaying(tool: string, failpoint: string | undefined, kill: (running: AppProcess) => Promise<void>): Promise<string> {
  const running = await start(undefined, failpoint);
  const contract = await ownerContract(running.home);
  await allowEverything(contract);
  contract.close();
  const agent = await httpAgent(running);
  const call = agent.call(tool, args(tool)).catch(() => 'connection broke');
  await kill(running);
  expect(await running.exited).toBe('SIGKILL');
  expect(await call).toBe('connection broke');
  return running.home;
}

describe.each(CHAINS)('$chain', ({ network, tool, payee }) => {
  const received = () => sandbox.balance(network, sandbox.seller.payTo[payee]);
  const itself = (running: AppProcess) => running.exited.then(() => undefined);

  test('journal committed, proof not sent: the next identical call signs a second proof, or the first is lost', async () => {
    const before = await received();
    const home = await killedWhilePaying(tool, 'journal-committed', itself);
    expect(await received()).toBe(before);

    const again = await start(home);
    expect(await row(again)).toMatchObject({ status: 'unknown', columns: { decision: 'approved', money: 'outstanding', service: 'lost' } });
    const answer = await (await httpAgent(again)).call(tool, args(tool));
    expect(answer.result?.isError).toBeFalsy();
    await expect.poll(() => row(again)).toMatchObject({ status: 'delivered', columns: { money: 'settled' } });
    expect(await received()).toBe(before + 10_000n);
  });

  test('proof sent, no answer yet: the restart pays again, or does not see that the money moved', async () => {
    const before = await received();
    sandbox.faults!.facilitator.set('settle', 'settle-then-hang');
    const home = await killedWhilePaying(tool, undefined, async (running) => {
      await expect.poll(received, { timeout: 10_000 }).toBe(before + 10_000n);
      running.child.kill('SIGKILL');
    });
    sandbox.faults!.clear();
    const again = await start(home);
    await expect.poll(() => row(again)).toMatchObject({ status: 'undelivered', reasonCode: 'PAID_NOT_DELIVERED', columns: { decision: 'approved', money: 'settled', service: 'lost' } });
    const answer = await (await httpAgent(again)).call(tool, args(tool));
    expect(answer.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('PAID_NOT_DELIVERED') }] });
    expect(await received()).toBe(before + 10_000n);
  });

  test('answer read, not recorded: the restart pays again, or forgets what it paid', async () => {
    const before = await received();
    const home = await killedWhilePaying(tool, 'answer-read', itself);
    expect(await received()).toBe(before + 10_000n);
    const again = await start(home);
    await expect.poll(() => row(again)).toMatchObject({ status: 'undelivered', columns: { decision: 'approved', money: 'settled', service: 'lost' } });
    expect(await spentToday(again)).toBe('10000');
    expect(await received()).toBe(before + 10_000n);
  });

  // Last, because a chain's clock cannot be set back.
  test('journal committed, proof not sent, call never repeated: its budget is never freed, or freed before the proof is dead', async () => {
    const before = await received();
    const home = await killedWhilePaying(tool, 'journal-committed', itself);
    const again = await start(home);
    expect(await spentToday(again)).toBe('10000');
    if (payee === 'evm') await sandbox.time.advanceEvm(1000);
    else sandbox.time.advanceSolana(200);
    await expect.poll(() => row(again), { timeout: 20_000 }).toMatchObject({ status: 'failed', columns: { money: 'dead' } });
    expect(await spentToday(again)).toBe('0');
    expect(await received()).toBe(before);
  });
});
