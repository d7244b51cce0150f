import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchClient } from './bridge/clients.ts';
import { PUMP_NAME, startTargets, type Path, type Target } from './bridge/targets.ts';
import { installPeers } from './peers/install.ts';
import { median, milliseconds, percentile, rounded } from './statistics.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9);
const CONCURRENCY = 16;
const SIZES = [
  { size: '256 B', bytes: 256, calls: 150, burst: 640 },
  { size: '64 kB', bytes: 65_536, calls: 40, burst: 160 },
] as const;
const START_GOAL_MS = 150;
/** Of the raw pump's median time, and of its throughput. */
const PUMP_GOAL = 1.15;

interface Row {
  readonly path: Path;
  readonly target: string;
  readonly size: string;
  /** Median and 99th percentile of a call, and throughput at concurrency 16, as multiples of direct's in the same round. */
  readonly p50x: number;
  readonly p99x: number;
  readonly rpsx: number;
  /** From opening a session (over stdio: a process) to its first answer. */
  readonly startMs: number;
  /** The same as multiples of the raw pump's, with the middle half of the rounds. */
  readonly pump: { readonly p50x: number; readonly p50Spread: Spread; readonly rpsx: number; readonly rpsSpread: Spread };
}

type Spread = readonly [number, number];

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly rps: number;
}

/** What lies between a client and a server: direct, a raw pump, Bursar and three proxies of others, interleaved in every round. */
export async function bridge(): Promise<{ json: object; text: string; ok: boolean }> {
  installPeers();
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-'));
  const targets = await startTargets(folder);
  const only = process.env['BENCH_ONLY']?.split(',');
  const all = targets.all.filter(({ name, path }) => only === undefined || only.includes(name) || only.includes(path));
  try {
    const starts = new Map<Target, number[]>(all.map((target) => [target, []]));
    const rounds = new Map<string, Measured[]>();
    const clients = new Map<Target, BenchClient>();
    for (const target of all) clients.set(target, await target.open());
    for (let round = -1; round < ROUNDS; round += 1) {
      for (let turn = 0; turn < all.length; turn += 1) {
        const target = all[(turn + Math.max(round, 0)) % all.length]!;
        let second: BenchClient | undefined;
        const startMs = await milliseconds(async () => (second = await target.open()));
        await second?.close();
        const client = clients.get(target)!;
        for (const { size, bytes, calls, burst } of SIZES) {
          const measured = await measure(client, textOf(bytes), calls, burst);
          if (round < 0) continue;
          const key = keyOf(target, size);
          rounds.set(key, [...(rounds.get(key) ?? []), measured]);
        }
        if (round >= 0) starts.get(target)!.push(startMs);
      }
    }
    for (const client of clients.values()) await client.close();
    const rows = SIZES.flatMap(({ size }) => all.map((target) => rowOf(target, size, rounds, starts.get(target)!, all)));
    const missed = missedGoals(rows);
    return { ok: missed.length === 0, json: { ok: missed.length === 0, rows, missed }, text: toText(rows, missed) };
  } finally {
    await targets.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Words with quotes and line breaks, as results of tools have them. */
const textOf = (bytes: number): string => 'The quick brown fox jumps over the lazy dog, "twice" a day.\n'.repeat(Math.ceil(bytes / 60)).slice(0, bytes);

async function measure(client: BenchClient, text: string, calls: number, burst: number): Promise<Measured> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) times.push(await milliseconds(() => client.echo(text)));
  let left = burst;
  const ms = await milliseconds(() =>
    Promise.all(Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await client.echo(text);
    })),
  );
  return { p50: median(times), p99: percentile(times, 0.99), rps: (burst * 1000) / ms };
}

const keyOf = ({ path, name }: Pick<Target, 'path' | 'name'>, size: string): string => `${path} ${name} ${size}`;

function rowOf({ path, name }: Target, size: string, rounds: ReadonlyMap<string, readonly Measured[]>, starts: readonly number[], all: readonly Target[]): Row {
  const own = rounds.get(keyOf({ path, name }, size)) ?? [];
  const against = (other: string, of: keyof Measured): number[] => {
    const base = rounds.get(keyOf({ path, name: other }, size)) ?? [];
    return all.some((target) => target.path === path && target.name === other) ? own.map((measured, round) => measured[of] / base[round]![of]) : [];
  };
  const [p50s, rpss] = [against(PUMP_NAME, 'p50'), against(PUMP_NAME, 'rps')];
  return {
    path,
    target: name,
    size,
    p50x: rounded(median(against('direct', 'p50'))),
    p99x: rounded(median(against('direct', 'p99'))),
    rpsx: rounded(median(against('direct', 'rps'))),
    startMs: Math.round(median(starts)),
    pump: { p50x: rounded(median(p50s)), p50Spread: middleHalf(p50s), rpsx: rounded(median(rpss)), rpsSpread: middleHalf(rpss) },
  };
}

const middleHalf = (values: readonly number[]): Spread => [rounded(percentile(values, 0.25)), rounded(percentile(values, 0.75))];

/** In sentences; none where every goal is met. */
function missedGoals(rows: readonly Row[]): string[] {
  return rows.filter(({ target }) => target === 'bursar').flatMap(({ path, size, p50x, rpsx, startMs, pump }) => {
    const where = `${path}, ${size}`;
    const peers = rows.filter((row) => row.path === path && row.size === size && !['direct', 'bursar'].includes(row.target) && !row.target.startsWith(PUMP_NAME));
    return [
      ...(pump.p50x > PUMP_GOAL ? [`${where}: p50 is ${pump.p50x} times the raw pump's, goal ${PUMP_GOAL}`] : []),
      ...(pump.rpsx < 1 / PUMP_GOAL ? [`${where}: throughput is ${pump.rpsx} of the raw pump's, goal ${rounded(1 / PUMP_GOAL)}`] : []),
      ...peers.filter((peer) => peer.p50x <= p50x || peer.rpsx >= rpsx).map((peer) => `${where}: ${peer.target} is ahead (p50 ${peer.p50x}, throughput ${peer.rpsx})`),
      ...(startMs > START_GOAL_MS ? [`${where}: the first answer takes ${startMs} ms, goal ${START_GOAL_MS}`] : []),
    ];
  });
}

function toText(rows: readonly Row[], missed: readonly string[]): string {
  const header = ['path', 'size', 'target', '× direct: p50', 'p99', 'rps', '× pump: p50', '', 'rps', '', 'start ms'];
  const spread = ([low, high]: Spread): string => `(${low.toFixed(2)}–${high.toFixed(2)})`;
  const lines = rows.map((row) => [
    row.path, row.size, row.target, row.p50x.toFixed(2), row.p99x.toFixed(2), row.rpsx.toFixed(2),
    row.pump.p50x.toFixed(2), spread(row.pump.p50Spread), row.pump.rpsx.toFixed(2), spread(row.pump.rpsSpread), String(row.startMs),
  ]);
  const table = [header, ...lines.toSorted((a, b) => `${a[0]}${a[1]}`.localeCompare(`${b[0]}${b[1]}`))];
  const widths = header.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  return [
    `Medians of ${ROUNDS} interleaved rounds, in brackets the middle half; throughput at concurrency ${CONCURRENCY}:`,
    ...table.map((line) => line.map((cell, column) => (column < 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')),
    ...(missed.length === 0 ? ['All goals are met.'] : ['Missed:', ...missed.map((line) => `  ${line}`)]),
  ].join('\n');
}
