// npm run soak -- [--minutes 60] [--json]: hours of an agent's work in fewer. Memory, handles and processes have to end where they began.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openHttpClient, openStdioClient } from '../bench/bridge/clients.ts';
import { ECHO, startListening } from '../bench/bridge/processes.ts';
import { median } from '../bench/statistics.ts';
import { entryOf, startApp } from '../support/app-process.ts';
import { allowEverything, ownerContract } from '../support/contract.ts';
import { httpAgent } from '../support/http-agent.ts';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { load, type Tally, type Ways } from './load.ts';
import { backTo, holdingOf, measuredEnvironment, restingFootprint } from './measure.ts';

const MINUTE = 60_000;
/** Not counted, however short the run: code is compiled, and pools grow to their size. */
const LEAST_WARM_UP_MS = 25_000;
const SAMPLES = 40;
/** Share of the samples at either end whose median is compared. */
const WINDOW = 0.2;
const RSS_GOAL = 1.05;
const RESTING_MS = 6_000;
/** Longer than any connection is kept for the next request. */
const AFTER_MS = 90_000;
const PURCHASES = 8;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, json: { type: 'boolean', default: false } } });
const minutes = Number(values.minutes);
if (!(minutes > 0) || process.platform !== 'linux') {
  console.error('usage: npm run soak -- [--minutes N] [--json]   (Linux: it counts handles in /proc)');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'bursar-soak-'));
const report = join(folder, 'report.json');
const sandbox = await startSandboxProcess();
const echo = await startListening(ECHO, ['http']);
const app = await startApp({ home: join(folder, 'home'), env: { BURSAR_SANDBOX: sandbox.readyFile, ...measuredEnvironment(report) } });
const owner = await ownerContract(app.home);
await allowEverything(owner);
await owner.request('upstreams.add', { name: 'echo-http', transport: { kind: 'http', url: `http://127.0.0.1:${echo.line}/mcp`, headers: {} } });
await owner.request('upstreams.add', { name: 'echo-stdio', transport: { kind: 'stdio', command: process.execPath, args: [ECHO, 'stdio'], env: {} } });
owner.close();

const ways: Ways = {
  http: (upstream) => openHttpClient({ url: `${app.mcp}/${upstream}`, token: app.token }),
  shim: (upstream) => openStdioClient({ command: process.execPath, args: [entryOf('shim.js'), '--home', app.home, '--upstream', upstream, '--client', 'soak'], env: { BURSAR_CLIENT_TOKEN: app.token } }),
  buyer: await httpAgent(app),
};
const tally: Tally = { calls: 0, sessions: 0, crashes: 0, cancelled: 0, paid: 0, failures: [] };
const tell = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

// Once through everything, so that what is opened once and kept is there before anything is counted.
await load(ways, { ...tally, failures: [] }, { until: performance.now() + 5_000, purchases: 1 });
const before = await restingFootprint(app.pid, RESTING_MS);

const begun = performance.now();
const until = begun + minutes * MINUTE;
const countedFrom = begun + Math.max((minutes * MINUTE) / 10, Math.min(LEAST_WARM_UP_MS, (minutes * MINUTE) / 4));
const working = load(ways, tally, { until, purchases: PURCHASES });
const rss: number[] = [];
const sampling = (async () => {
  const pause = (until - countedFrom) / SAMPLES;
  for (let next = countedFrom; next < until; next += pause) {
    while (performance.now() < next) await new Promise((resolve) => setTimeout(resolve, Math.min(next - performance.now() + 1, 1_000)));
    const { rss: bytes, heapUsed } = await holdingOf(app.pid, report);
    rss.push(bytes);
    if (rss.length % 4 === 1) tell(`${((performance.now() - begun) / MINUTE).toFixed(1)} min: RSS ${mb(bytes)} MB, heap ${mb(heapUsed)} MB, ${tally.calls} calls, ${tally.sessions} sessions, ${tally.crashes} crashes, ${tally.cancelled} cancelled, ${tally.paid} paid`);
  }
})();
await Promise.all([working, sampling]);
const after = await backTo(app.pid, before, AFTER_MS);
const { resources } = await holdingOf(app.pid, report);

const window = Math.max(1, Math.round(rss.length * WINDOW));
const [first, last] = [median(rss.slice(0, window)), median(rss.slice(-window))];
const growth = last / first;
const { failures, ...done } = tally;
const missed = [
  ...(growth > RSS_GOAL ? [`RSS grew to ${growth.toFixed(3)} times, allowed ${RSS_GOAL}`] : []),
  ...(after.fds > before.fds ? [`${after.fds} file descriptors are open, ${before.fds} before`] : []),
  ...(after.children > before.children ? [`${after.children} child processes run, ${before.children} before`] : []),
  ...(Object.entries(done).filter(([, count]) => count === 0).map(([what]) => `no ${what}`)),
  ...failures,
];
await app.stop();
await echo.stop();
await sandbox.stop();
rmSync(folder, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify({ ok: missed.length === 0, minutes, ...done, rss: { firstMb: mb(first), lastMb: mb(last), growth: Number(growth.toFixed(4)) }, fds: { before: before.fds, after: after.fds }, children: { before: before.children, after: after.children }, resources, missed }));
else tell(`RSS ${mb(first)} MB, then ${mb(last)} MB (× ${growth.toFixed(3)}); file descriptors ${before.fds}, then ${after.fds}; child processes ${before.children}, then ${after.children}\n${missed.length === 0 ? 'Nothing grew.' : `Missed:\n  ${missed.join('\n  ')}`}`);
process.exit(missed.length === 0 ? 0 : 1);

function mb(bytes: number): number {
  return Math.round(bytes / 104_857.6) / 10;
}
