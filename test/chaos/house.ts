import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeLaunchCommand } from '../../src/main/bridge/endpoint.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { formatUnits } from '../../src/shared/money/money.ts';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { ownerContract } from '../support/contract.ts';
import { openAgents, type Agents } from './agents.ts';
import { buy } from './buy.ts';
import type { Director } from './director.ts';
import type { AppFault, Kill } from './faults.ts';
import { openOwner, type Owner } from './owner.ts';
import { CALL_LIMIT, SCARCE_LIMIT, UPSTREAMS, type PlannedCall, type Wave } from './plan.ts';
import { serveRpcProxy, type RpcFault, type RpcProxy } from './rpc-proxy.ts';

/** How often a call is tried before the final round. */
const MAX_TRIES = 4;
/** How long a kill is awaited once the wave's calls have ended. */
const KILL_LIMIT_MS = 1_500;
/** Requests that meet a fault of the application's own RPC server, before it recovers. */
const APP_FAULT_REQUESTS: Readonly<Record<'down' | 'stale' | 'hang', number>> = { down: 8, stale: 12, hang: 3 };

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
  /** Calls that were not served yet and may be tried again. */
  unserved(): readonly PlannedCall[];
  readonly served: ReadonlySet<number>;
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
  const { facilitatorUrl, seller, controlUrl, controlToken } = sandbox;
  writeFileSync(readyFile, JSON.stringify({ evm: { ...sandbox.evm, rpcUrl: evm.url }, solana: { ...sandbox.solana, rpcUrl: solana.url }, facilitatorUrl, seller, controlUrl, controlToken }));

  let app: AppProcess | undefined;
  let agents: Agents | undefined;
  let owner: Owner | undefined;
  const served = new Set<number>();
  const tries = new Map<number, number>();
  let open: PlannedCall[] = [];

  async function start(failpoint = ''): Promise<AppProcess> {
    const started = await startApp({ home, build: 'out-test', env: { BURSAR_SANDBOX: readyFile, ...(failpoint && { BURSAR_FAILPOINT: failpoint }) } });
    // An agent that comes while the application is dead must not start one that this run knows nothing of.
    writeLaunchCommand(home, { command: process.execPath, args: ['-e', 'process.exit(1)'] });
    app = started;
    agents = openAgents(started);
    owner = await openOwner(started.dashboard, director).catch(() => undefined);
    void started.exited.then(() => {
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
    contract.close();
  }

  async function runWave({ calls, appFault, kill, nth }: Wave): Promise<void> {
    const failpoint = kill && !['kill-after-settle', 'kill-any-moment'].includes(kill) ? kill.slice('kill-'.length) : '';
    if (failpoint && app) await die();
    if (!app) {
      try {
        await start(failpoint && `${failpoint}:${failpoint === 'row-recovering' ? 1 : nth}`);
      } catch (error) {
        if (kill !== 'kill-row-recovering' && kill !== 'kill-chain-read') throw error;
        director.hit(kill);
        await start();
      }
    }
    if (appFault) troubleRpc(appFault);
    const running = app;
    if (!running) return;
    let struck = false;
    let left = nth;
    const stopListening = director.onReach((call, stage) => {
      if (!kill || director.houseOf(call.id) !== number || struck) return;
      if (kill === 'kill-after-settle' ? stage !== 'settled' : kill !== 'kill-any-moment' || --left > 0) return;
      struck = true;
      director.hit(kill);
      running.child.kill('SIGKILL');
    });
    const due = [...open, ...calls];
    open = [];
    await callAll(due);
    if (kill && !struck) {
      const code = await Promise.race([running.exited, delay(KILL_LIMIT_MS)]);
      if (failpoint && code === 'SIGKILL') director.hit(kill);
      else await die();
    }
    stopListening();
    if (struck) await running.exited;
    evm.clear();
    solana.clear();
    open.push(...due.filter((call) => !served.has(call.id) && (tries.get(call.id) ?? 0) < MAX_TRIES && mayTryAgain(call)));
  }

  function troubleRpc(fault: AppFault): void {
    const [, chain = '', how = ''] = fault.split('-');
    const proxy: RpcProxy = chain === 'evm' ? evm : solana;
    proxy.set(how as RpcFault, { times: APP_FAULT_REQUESTS[how as 'down' | 'stale' | 'hang'], onHit: () => director.hit(fault) });
  }

  async function callAll(calls: readonly PlannedCall[]): Promise<void> {
    await Promise.all(
      calls.map(async (call) => {
        tries.set(call.id, (tries.get(call.id) ?? 0) + 1);
        if (agents && (await buy(agents, call, director))) served.add(call.id);
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
    served,
    runWave,
    callAll,
    unserved: () => open,
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

/** What the agent would not ask for again: it was told that the budget does not allow it, or has itself called it off. */
const mayTryAgain = (call: PlannedCall): boolean => call.upstream !== 'scarce' && BigInt(call.units) <= CALL_LIMIT && call.fault !== 'cancel-waiting' && call.ownerApproves;

/** A zone in which no midnight comes soon: a calendar day is one budget. */
function noonZone(): string {
  const offset = 12 - new Date().getUTCHours();
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}
