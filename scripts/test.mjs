// npm test, and with --check the quick part of it: one step after the other, stops at the first that fails.
// Ends with one plain line, "N passed, N failed", summed over the test runners; a failed step without a runner counts as one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './ensure-chromium.mjs';
import { build } from './lib/build.mjs';
import { playwrightCounts, vitestCounts } from './lib/counts.mjs';
import { runNode, toolPath } from './lib/run.mjs';

const reports = mkdtempSync(join(tmpdir(), 'bursar-test-'));

const command = (file, args, options) => async () => ({ code: await runNode(file, args, options) });

const vitest = (project, env = {}) => async () => {
  const report = join(reports, `${project}.json`);
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await runNode(toolPath('vitest'), args, { env });
  return { code, counts: vitestCounts(report) };
};

const browser = async () => {
  const report = join(reports, 'browser.json');
  const code = await runNode('scripts/test-e2e.mjs', ['--reporter=list,json'], { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report } });
  return { code, counts: playwrightCounts(report) };
};

const types = { title: 'Types', run: command(toolPath('typescript', 'tsc'), ['-b']) };
const lint = { title: 'Lint and folder walls', run: command(toolPath('oxlint'), ['--type-aware', '--deny-warnings']) };
const quick = [types, lint, { title: 'Unit tests and import graphs', run: vitest('unit') }];
const full = [
  { title: 'Lock file', run: command('scripts/complete-lock.mjs', ['--check']) },
  types,
  lint,
  // Before the tests, because some that need it would be skipped without it.
  { title: 'Chromium', run: async () => ({ code: (await ensureChromium()) ? 0 : 1 }) },
  { title: 'Build', run: async () => ({ code: await build() }) },
  { title: 'Build with failpoints', run: async () => ({ code: await build({ failpoints: true }) }) },
  { title: 'Unit tests and import graphs', run: vitest('unit', { BURSAR_REQUIRE_BUILD: '1' }) },
  { title: 'Integration tests', run: vitest('integration') },
  { title: 'Fuzz, 20,000 runs', run: command('test/fuzz/main.ts', ['--runs', '20000', '--seed', '72421119']) },
  // One seed, so that what strikes is the same each time; npm run chaos draws another one.
  { title: 'Chaos, 300 calls', run: command('test/chaos/main.ts', ['--calls', '300', '--seed', '72421119']) },
  { title: 'Every dialect on every rail', run: command('test/matrix/main.ts', ['--own']) },
  { title: 'Browser tests', run: browser },
];

async function runStep(run) {
  try {
    return await run();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { code: 1 };
  }
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const total = { passed: 0, failed: 0, skipped: 0 };
const begun = performance.now();
let exitCode = 0;
for (const { title, run } of process.argv.includes('--check') ? quick : full) {
  console.log(`\n── ${title}`);
  const stepBegun = performance.now();
  const { code, counts } = await runStep(run);
  for (const key of Object.keys(total)) total[key] += counts?.[key] ?? 0;
  console.log(`── ${title}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds(stepBegun)})`);
  if (code !== 0) {
    if (!counts?.failed) total.failed += 1;
    exitCode = code;
    break;
  }
}
rmSync(reports, { recursive: true, force: true });
console.log(`\n${total.skipped} skipped, ${seconds(begun)} in all`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(exitCode);
