// How many tests passed and failed, read from the runners' JSON reports. Reading throws where no report was written.
import { readFileSync } from 'node:fs';

/** From vitest's JSON reporter. A file that fails to load holds no failed test, so it counts as one itself. */
export function vitestCounts(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const unloaded = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length, skipped: report.numPendingTests + report.numTodoTests };
}

/** From Playwright's JSON reporter. A test that passed only on a second try is a defect here, not a pass. */
export function playwrightCounts(file) {
  const { stats, errors } = JSON.parse(readFileSync(file, 'utf8'));
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped };
}
