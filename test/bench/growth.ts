import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { addClient, ownerContract } from '../support/contract.ts';
import { holdingOf, measuredEnvironment } from '../soak/measure.ts';
import { openHttpClient, type BenchClient } from './bridge/clients.ts';
import { ECHO, startListening } from './bridge/processes.ts';
import { milliseconds, percentile, rounded } from './statistics.ts';

const CALLS = 1_500;
const WARM_UP = 300;
const SESSIONS = 200;
const GOAL = 1.1;
const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] as const;
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(6);

/** How much there is of everything around a call. */
interface Size {
  readonly upstreams: number;
  readonly tools: number;
  /** Registered clients, each with an open session. */
  readonly clients: number;
}

const SMALL: Size = { upstreams: 1, tools: 10, clients: 1 };
/** Two alike: how far a row may be off without anything having grown. */
const CONTROL = 'nothing (control)';
const GROWTHS: readonly { readonly of: string; readonly large: Size; readonly all: boolean }[] = [
  { of: CONTROL, large: SMALL, all: false },
  { of: '1 to 50 servers', large: { ...SMALL, upstreams: 50 }, all: false },
  { of: '1 to 50 servers, route to all', large: { ...SMALL, upstreams: 50 }, all: true },
  { of: '10 to 2,000 tools', large: { ...SMALL, tools: 2_000 }, all: false },
  { of: '10 to 2,000 tools, route to all', large: { ...SMALL, tools: 2_000 }, all: true },
  { of: '1 to 200 clients', large: { ...SMALL, clients: SESSIONS }, all: false },
];

interface Row {
  readonly growth: string;
  /** The 25th percentile of a call (ms): to the server itself, through a Bursar with little in it, through one with much. */
  readonly directMs: number;
  readonly smallMs: number;
  readonly largeMs: number;
  /** What the large one adds to a direct call, over what the small one adds. */
  readonly overheadx: number;
}

/** What a call costs where there is more of everything around it, call by call in turns, and what an idle session holds. */
export async function growth(): Promise<{ json: object; text: string; ok: boolean }> {
  const rows: Row[] = [];
  for (const { of, large, all } of GROWTHS) rows.push(await grow(of, large, all));
  const idleSessionKb = await idleSession();
  const ok = rows.every(({ overheadx }) => overheadx <= GOAL);
  const line = ({ growth: name, directMs, smallMs, largeMs, overheadx }: Row) => `${name.padEnd(32)} direct ${directMs} ms   small ${smallMs} ms   large ${largeMs} ms   overhead × ${overheadx}`;
  return {
    ok,
    json: { ok, rows, idleSessionKb },
    text: [`The 25th percentile of ${CALLS} calls in turns; goal: overhead at most × ${GOAL}`, ...rows.map(line), `An idle session over HTTP, of ${SESSIONS}: ${idleSessionKb} kB in Bursar after garbage collection`].join('\n'),
  };
}

async function grow(of: string, large: Size, all: boolean): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-'));
  const stops: (() => Promise<void>)[] = [];
  try {
    const worlds = [];
    for (const size of [SMALL, large]) worlds.push(await openWorld(join(folder, String(worlds.length)), size, all, stops));
    const [little, much] = worlds as [World, World];
    const times = { direct: [] as number[], small: [] as number[], large: [] as number[] };
    for (let call = 0; call < WARM_UP + CALLS; call += 1) {
      const turns = [
        async () => times.direct.push(await milliseconds(() => little.direct.echo(TEXT))),
        async () => times.small.push(await milliseconds(() => little.client.echo(TEXT, little.tool))),
        async () => times.large.push(await milliseconds(() => much.client.echo(TEXT, much.tool))),
      ];
      // In every order alike: what runs before leaves the processor and its caches in some state.
      for (const turn of ORDERS[call % ORDERS.length]!) await turns[turn]!();
      if (call === WARM_UP - 1) for (const list of Object.values(times)) list.length = 0;
    }
    const [direct, small, big] = [quick(times.direct), quick(times.small), quick(times.large)];
    const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
    return { growth: of, directMs: thousandths(direct), smallMs: thousandths(small), largeMs: thousandths(big), overheadx: rounded((big - direct) / (small - direct)) };
  } finally {
    for (const stop of stops.toReversed()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The quickest quarter is what other programs did not hold up. */
const quick = (times: readonly number[]): number => percentile(times, 0.25);

interface World {
  readonly direct: BenchClient;
  readonly client: BenchClient;
  readonly tool: string;
}

async function openWorld(home: string, { upstreams, tools, clients }: Size, all: boolean, stops: (() => Promise<void>)[]): Promise<World> {
  const echo = await startListening(ECHO, ['http', String(tools)]);
  stops.push(echo.stop);
  const url = `http://127.0.0.1:${echo.line}/mcp`;
  const app = await startApp({ home });
  stops.push(app.stop);
  const names = Array.from({ length: upstreams }, (_, number) => `echo-${number}`);
  const tokens = await furnish(app, names, url, clients);
  const to = all ? app.mcp : `${app.mcp}/${names[0]}`;
  const sessions: BenchClient[] = [];
  for (const token of tokens) {
    const session = await openHttpClient({ url: to, token });
    sessions.push(session);
    stops.push(session.close);
  }
  const client = sessions.at(-1)!;
  const direct = await openHttpClient({ url });
  stops.push(direct.close);
  const listed = await client.listTools();
  if (listed < (all ? upstreams : 1) * tools) throw new Error(`only ${listed} tools are listed`);
  return { direct, client, tool: all ? `${names.at(-1)}__echo` : 'echo' };
}

/** Adds the servers, and clients with a token each. */
async function furnish(app: AppProcess, names: readonly string[], url: string, clients: number): Promise<string[]> {
  const owner = await ownerContract(app.home);
  for (const name of names) await owner.request('upstreams.add', { name, transport: { kind: 'http', url, headers: {} } });
  const tokens: string[] = [];
  for (let number = 0; number < clients; number += 1) tokens.push(await addClient(owner, `agent-${number}`));
  owner.close();
  return tokens;
}

/** What each of many sessions keeps in Bursar's memory (kB), each with a server session of its own, an answered call and its last answers. */
async function idleSession(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-'));
  const report = join(folder, 'report.json');
  const echo = await startListening(ECHO, ['http']);
  const app = await startApp({ home: join(folder, 'home'), env: measuredEnvironment(report) });
  try {
    await furnish(app, ['echo'], `http://127.0.0.1:${echo.line}/mcp`, 0);
    const open = async (): Promise<BenchClient> => {
      const client = await openHttpClient({ url: `${app.mcp}/echo`, token: app.token });
      await client.echo(TEXT);
      return client;
    };
    const sessions = [await open()];
    const held = async (): Promise<number> => {
      const { heapUsed, external } = await holdingOf(app.pid, report);
      return heapUsed + external;
    };
    const before = await held();
    for (let session = 0; session < SESSIONS; session += 1) sessions.push(await open());
    const after = await held();
    for (const session of sessions) await session.close();
    return rounded((after - before) / SESSIONS / 1024);
  } finally {
    await app.stop();
    await echo.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
