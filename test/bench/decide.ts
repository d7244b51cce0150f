import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createApprovals } from '../../src/core/payments/approvals.ts';
import { createPayments } from '../../src/core/payments/pay.ts';
import { createReconciler } from '../../src/core/payments/reconcile.ts';
import { createRelease } from '../../src/core/payments/release.ts';
import { systemClock } from '../../src/main/adapters/clock.ts';
import { openHome } from '../../src/main/adapters/home/home.ts';
import { openKeys } from '../../src/main/adapters/keys/open-keys.ts';
import { createSignatures } from '../../src/main/adapters/signatures.ts';
import { createAccounts } from '../../src/main/adapters/store/accounts.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { createIntegrity } from '../../src/main/adapters/store/integrity.ts';
import { createJournal } from '../../src/main/adapters/store/journal.ts';
import { createPolicies } from '../../src/main/adapters/store/policies.ts';
import { createExactEvm } from '../../src/main/rails/exact-evm.ts';
import { baseUnits } from '../../src/shared/money/money.ts';
import { defaultPolicy, type Policy } from '../../src/shared/policy/policy.ts';
import { challenge, served } from '../support/payment-world.ts';
import { createLedgerOf } from './decide-ledger.ts';
import { filesystemOf, folderOnDisk } from './disk.ts';
import { median, milliseconds, percentile, rounded } from './statistics.ts';

const ROWS = 1_000_000;
/** Rounds until the engine has compiled what runs; their times are told apart from the others. */
const WARM_UP = 300;
const ROUNDS = 400;
const UPSTREAM = 'weather';
const TIME_ZONE = 'UTC';

/** 100 rules of which the last one matches, and 50 caps of which half look at the server that asks. */
const demandingPolicy = (): Policy => ({
  ...defaultPolicy(TIME_ZONE),
  caps: Array.from({ length: 50 }, (_, number) => ({ over: { upstream: number % 2 ? UPSTREAM : `server-${number}` }, window: number % 4 === 1 ? ('call' as const) : ('day' as const), unit: 'USD' as const, amount: '100000' })),
  rules: Array.from({ length: 100 }, (_, number) => ({ when: { upstream: number === 99 ? UPSTREAM : `server-${number}` }, verdict: number === 99 ? ('allow' as const) : ('deny' as const) })),
  otherwise: 'ask',
});

/**
 * From a challenge to the moment at which the signed proof may leave: policy, reservation, signature and durable commit, with the wallet, store
 * and guard of the application and without RPC. A ledger of a million payments against an empty one and a bare SQLite commit, interleaved.
 */
export async function decide(): Promise<{ json: object; text: string }> {
  // The bundler's constant: here the sources run as they are.
  Object.assign(globalThis, { __FAILPOINTS__: false });
  const folder = folderOnDisk();
  const bare = bareCommits(join(folder, 'bare.db'));
  try {
    const empty = await openWorld(join(folder, 'empty'));
    const blank = openHome({ environment: 'sandbox', home: join(folder, 'full') });
    const buildMs = await milliseconds(() => createLedgerOf(blank.paths.database, ROWS, { upstream: UPSTREAM }));
    blank.close();
    const full = await openWorld(join(folder, 'full'));
    const times = { empty: [] as number[], full: [] as number[], bare: [] as number[] };
    let coldP50Ms = Number.NaN;
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      // In changing order, so that none always follows the work that another leaves behind.
      const turns = [
        async () => times.empty.push(await empty.decide(round)),
        async () => times.bare.push(await milliseconds(() => bare.commit())),
        async () => times.full.push(await full.decide(round)),
      ];
      for (let turn = 0; turn < turns.length; turn += 1) await turns[(turn + round) % turns.length]!();
      if (round === WARM_UP - 1) {
        coldP50Ms = rounded(median(times.full));
        for (const list of Object.values(times)) list.length = 0;
      }
    }
    const json = {
      p50Ms: rounded(median(times.full)),
      p95Ms: rounded(percentile(times.full, 0.95)),
      fsyncP95Ms: rounded(percentile(times.bare, 0.95)),
      growth: Number((median(times.full) / median(times.empty)).toFixed(2)),
      filesystem: filesystemOf(folder),
      coldP50Ms,
    };
    const details = { bareP50: rounded(median(times.bare)), emptyP50: rounded(median(times.empty)), buildS: rounded(buildMs / 1000), openMs: rounded(full.openMs) };
    await empty.close();
    await full.close();
    return { json, text: toText(json, details) };
  } finally {
    bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openWorld(folder: string) {
  const home = openHome({ environment: 'sandbox', home: folder });
  const opened = performance.now();
  const db = openDatabase(home.paths.database);
  const log = { debug() {}, info() {}, warn() {}, error: (message: string, fields?: object) => console.error(message, fields) };
  const changed = () => {};
  const clock = systemClock;
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const integrity = createIntegrity({ db, clock, log, settings: { environment: 'sandbox', text: () => '{}', put() {}, changes: () => [] }, changed });
  const journal = createJournal(db, clock, integrity);
  const policies = createPolicies(db, clock, { timeZone: TIME_ZONE, guard: integrity });
  const wallet = await openKeys({ home, accounts: createAccounts(db), preferVault: true, cost: 2 ** 10 });
  await integrity.open(wallet.ledger);
  const openMs = performance.now() - opened;
  policies.save({ basedOn: policies.current().number, policy: demandingPolicy(), author: 'bench' });
  const approvals = createApprovals({ clock, random, changed });
  const rails = [createExactEvm({ keys: wallet, random, observe: async () => ({ state: 'open', why: 'no chain here' }) })];
  const reconciler = createReconciler({ journal, integrity, rails, clock, log, changed });
  const signatures = createSignatures();
  const release = createRelease({ journal, rails, reconciler: { ...reconciler, watch: () => {} }, signatures, clock, log, changed });
  const chain = { networks: () => ['eip155:84532' as const], balance: async () => baseUnits(1_000_000_000n) };
  const payments = createPayments({ patience: () => 50_000, journal, policies, approvals, integrity, release, keys: wallet, rails, chain, clock, random, signatures, changed });
  const answerText = challenge();
  return {
    openMs,
    /** Milliseconds until the proof may leave. Resolves when the answer is delivered too, so that its commits count in nobody's turn. */
    async decide(round: number): Promise<number> {
      let until = Number.NaN;
      const begun = performance.now();
      const outcome = await payments.onAnswer({
        client: 'agent',
        upstream: UPSTREAM,
        tool: 'forecast',
        argumentsText: `{"round":${round}}`,
        answer: { text: answerText },
        signal: new AbortController().signal,
        startedAt: Date.now(),
        session: 'bench',
        seenIn: () => '',
        progress: () => {},
        retry: async () => {
          until = performance.now();
          return { text: served() };
        },
      });
      if (outcome.kind !== 'answer') throw new Error(JSON.stringify(outcome));
      outcome.delivered(true);
      return until - begun;
    },
    async close() {
      await integrity.close();
      db.close();
      home.close();
    },
  };
}

/** One durable commit of one row, as any journal on SQLite has to pay it. */
function bareCommits(path: string) {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)');
  const insert = db.prepare('INSERT INTO rows (text) VALUES (?)');
  const text = 'x'.repeat(1000);
  return { commit: () => insert.run(text), close: () => db.close() };
}

type Figures = { p50Ms: number; p95Ms: number; fsyncP95Ms: number; growth: number; filesystem: string; coldP50Ms: number };
type Details = { bareP50: number; emptyP50: number; buildS: number; openMs: number };

const toText = ({ p50Ms, p95Ms, fsyncP95Ms, growth, filesystem, coldP50Ms }: Figures, { bareP50, emptyP50, buildS, openMs }: Details): string =>
  [
    `Deciding about a payment, ${ROUNDS} rounds, interleaved, 100 rules, 50 caps, ${ROWS} payments in the ledger (made in ${buildS} s, opened in ${openMs} ms):`,
    `decide            p50 ${p50Ms} ms   p95 ${p95Ms} ms; the ${WARM_UP} before, while the engine compiles: p50 ${coldP50Ms} ms`,
    `empty ledger      p50 ${emptyP50} ms   growth ${growth}, goal at most 1.20`,
    `bare commit       p50 ${bareP50} ms   p95 ${fsyncP95Ms} ms on ${filesystem}; goal: decide p95 at most ${rounded(fsyncP95Ms + 2)} ms`,
  ].join('\n');
