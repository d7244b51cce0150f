import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeLaunchCommand } from '../../src/main/bridge/endpoint.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { formatUnits } from '../../src/shared/money/money.ts';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { addClient, ownerContract } from '../support/contract.ts';
import { openAgents, type Agents } from './agents.ts';
import { buy } from './buy.ts';
import type { Director } from './director.ts';
import type { AppFault, Kill } from './faults.ts';
import { openOwner, type Owner } from './owner.ts';
import { CALL_LIMIT, SCARCE_LIMIT, UPSTREAMS, type AgentName, type PlannedCall, type Wave } from './plan.ts';
import { serveRpcProxy, type RpcFault, type RpcProxy } from './rpc-proxy.ts';

/** How often a call is tried before the final round. */
const MAX_TRIES = 8;
const KILLED_FROM_OUTSIDE: readonly Kill[] = ['kill-after-settle', 'kill-any-moment', 'kill-row-recovering'];
/** How long a kill at a failpoint is awaited once the wave's calls have ended. */
const KILL_LIMIT_MS = 4_000;
/** Requests that meet a fault of the application's own RPC server, before it recovers. */
const APP_FAULT_REQUESTS: Readonly<Record<'down' | 'stale' | 'hang', number>> = { down: 8, stale: 12, hang: 5 };

const stdioSeller = fileURLToPath(new URL('stdio-seller.ts', import.meta.url));

/** One application with its data folder, its agents and its owner. */
export interface House {
  readonly home: string;
  readonly number: number;
  /** Gives the application a wave of calls and whatever befalls it. */
  runWave(wave: Wave): Promise<void>;
  /** Makes sure that the application runs and nothing is wrong with its RPC servers. */
  calmDown(): Promise<AppProcess>;
  /** Each of these calls once, at the same time; for phases without a kill. */
  callAll(calls: readonly PlannedCall[]): Promise<void>;
  /** Calls whose agents would still try again. */
  unfinished(): readonly PlannedCall[];
  /** Kills the application and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface HouseOptions {
  readonly number: number;
  readonly sandbox: Sandbox;
  readonly sellersUrl: string;
  readonly director: Director;
  readonly say: (line: string) => void;
  /** The daily limit over everything, in base units. */
  readonly dayLimit: bigint;
}

/** Starts the application once to write its settings: servers, limits and rules. */
export async function openHouse({ number, sandbox, sellersUrl, director, say, dayLimit }: HouseOptions): Promise<House> {
  const home = mkdtempSync(join(tmpdir(), `bursar-chaos-${number}-`));
  const evm = await serveRpcProxy(sandbox.evm.rpcUrl);
  const solana = await serveRpcProxy(sandbox.solana.rpcUrl);
  const readyFile = join(home, '..', `${home.split('/').at(-1)}.json`);
  const { facilitatorUrl, seller, card, controlUrl, controlToken } = sandbox;
  writeFileSync(readyFile, JSON.stringify({ evm: { ...sandbox.evm, rpcUrl: evm.url }, solana: { ...sandbox.solana, rpcUrl: solana.url }, facilitatorUrl, seller, card, controlUrl, controlToken }));

  let app: AppProcess | undefined;
  let agents: Agents | undefined;
  let owner: Owner | undefined;
  const done = new Set<number>();
  const tries = new Map<number, number>();
  const given = new Map<number, PlannedCall>();
  let open: PlannedCall[] = [];
  const tokens = new Map<AgentName, string>();

  async function start(failpoint = ''): Promise<AppProcess> {
    const started = await startApp({ home, build: 'out-test', env: { BURSAR_SANDBOX: readyFile, ...(failpoint && { BURSAR_FAILPOINT: failpoint }) } });
    // An agent that comes while the application is dead must not start one that this run knows nothing of.
    writeLaunchCommand(home, { command: process.execPath, args: ['-e', 'process.exit(1)'] });
    app = started;
    agents = openAgents(started, tokens);
    owner = await openOwner(started.dashboard, director).catch(() => undefined);
    started.child.once('exit', () => {
      if (app === started) leave();
    });
    return started;
  }

  function leave(): void {
    agents?.close();
    owner?.close();
    app = agents = owner = undefined;
  }

  async function settle(): Promise<void> {
    const contract = await ownerContract(home);
    const http = (name: string) => ({ kind: 'http' as const, url: `${sellersUrl}/mcp/${number}-${name}`, headers: {} });
    for (const name of UPSTREAMS) {
      const stdio = { kind: 'stdio' as const, command: process.execPath, args: [stdioSeller, `${sellersUrl}/line/${number}-${name}`], env: {} };
      await contract.request('upstreams.add', { name, transport: name === 'pipe' ? stdio : http(name) });
    }
    const { number: basedOn, policy } = await contract.request('policy.get', {});
    const usd = (units: bigint) => formatUnits(units, 6, 2);
    await contract.request('policy.set', {
      basedOn,
      policy: {
        ...policy,
        timeZone: noonZone(),
        caps: [
          { over: {}, window: 'call', unit: 'USD', amount: usd(CALL_LIMIT) },
          { over: {}, window: 'day', unit: 'USD', amount: usd(dayLimit) },
          { over: { upstream: 'scarce' }, window: 'day', unit: 'USD', amount: usd(SCARCE_LIMIT) },
        ],
        rules: [{ when: { upstream: 'asks' }, verdict: 'ask' }],
        otherwise: 'allow',
      },
    });
    for (const name of ['stdio-a', 'stdio-b'] as const) tokens.set(name, await addClient(contract, name));
    contract.close();
  }

  async function runWave({ calls, appFault, kill: planned, nth }: Wave): Promise<void> {
    const failpoint = planned && !KILLED_FROM_OUTSIDE.includes(planned) ? planned.slice('kill-'.length) : '';
    if (failpoint && app) await die();
    const early = app ? false : await startArmed(failpoint && `${failpoint}:${nth}`);
    if (early && planned) director.hit(planned);
    const kill = early ? undefined : planned;
    if (appFault) troubleRpc(appFault);
    const running = app;
    if (!running) return;
    let struck = false;
    let left = nth;
    const stopListening = director.onReach((call, stage) => {
      if (!kill || director.houseOf(call.id) !== number || struck) return;
      if (kill === 'kill-any-moment' ? --left > 0 : failpoint !== '' || stage !== 'settled') return;
      struck = true;
      if (kill !== 'kill-row-recovering') director.hit(kill);
      running.child.kill('SIGKILL');
    });
    const due = [...open.filter((call) => !done.has(call.id)), ...calls];
    open = [];
    await callAll(due);
    if (kill && !struck) {
      const code = failpoint && (await Promise.race([running.exited, delay(KILL_LIMIT_MS)]));
      if (code === 'SIGKILL') director.hit(kill);
      else await die();
    }
    stopListening();
    if (struck) await running.exited;
    if (kill === 'kill-row-recovering') await dieRecovering();
    evm.clear();
    solana.clear();
    open.push(...due.filter((call) => !done.has(call.id) && (tries.get(call.id) ?? 0) < MAX_TRIES));
  }

  /** Starts the application to die at a failpoint. True where it did so before it was ready, over what the last kill left open, and runs without one now. */
  async function startArmed(failpoint: string): Promise<boolean> {
    try {
      await start(failpoint);
      return false;
    } catch (error) {
      if (failpoint === '') throw error;
      await start();
      return true;
    }
  }

  /** What the last kill left open is recovered at the next start, and the application is killed again while it does that. */
  async function dieRecovering(): Promise<void> {
    try {
      await start('row-recovering');
    } catch {
      director.hit('kill-row-recovering');
    }
  }

  function troubleRpc(fault: AppFault): void {
    const [, chain = '', how = ''] = fault.split('-');
    const proxy: RpcProxy = chain === 'evm' ? evm : solana;
    proxy.set(how as RpcFault, { times: APP_FAULT_REQUESTS[how as 'down' | 'stale' | 'hang'], onHit: () => director.hit(fault) });
  }

  async function callAll(calls: readonly PlannedCall[]): Promise<void> {
    await Promise.all(
      calls.map(async (call) => {
        given.set(call.id, call);
        tries.set(call.id, (tries.get(call.id) ?? 0) + 1);
        if (agents && (await buy(agents, call, director)) !== 'open') done.add(call.id);
      }),
    );
  }

  async function die(): Promise<void> {
    const running = app;
    if (!running) return;
    running.child.kill('SIGKILL');
    await running.exited;
    leave();
  }

  await start();
  await settle();
  say(`house ${number}: ${home}`);
  return {
    home,
    number,
    runWave,
    callAll,
    unfinished: () => [...given.values()].filter(({ id }) => !done.has(id)),
    async calmDown() {
      evm.clear();
      solana.clear();
      return app ?? start();
    },
    async restart() {
      await die();
      await start();
    },
    async stop() {
      await app?.stop();
      leave();
      await Promise.all([evm.close(), solana.close()]);
    },
  };
}

/** A zone in which no midnight comes soon: a calendar day is one budget. */
function noonZone(): string {
  const offset = 12 - new Date().getUTCHours();
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}
