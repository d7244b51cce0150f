// npm run test:keychain: the tests that need a real keychain. On Linux they get a gnome-keyring of their own, on a private
// session bus and in a throwaway home; the user's keyring is never touched. With --require a missing one is a failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vitestCounts } from './lib/counts.mjs';
import { runNode, runProgram, toolPath } from './lib/run.mjs';

/** Unlocks a fresh login keyring (any password will do, it is thrown away), then becomes the program given. */
const IN_SESSION = 'printf test | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1; exec "$@"';

const isInstalled = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;

const missing = process.platform === 'linux' ? ['dbus-run-session', 'gnome-keyring-daemon'].filter((command) => !isInstalled(command)) : [];
if (missing.length > 0) {
  console.log(`Keychain tests skipped, no ${missing.join(', no ')}. On Debian: apt-get install --no-install-recommends dbus gnome-keyring`);
  process.exit(process.argv.includes('--require') ? 1 : 0);
}

const home = mkdtempSync(join(tmpdir(), 'bursar-keychain-'));
const report = join(home, 'report.json');
const tests = [toolPath('vitest'), 'run', '--project', 'keychain', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
let code;
if (process.platform === 'linux') {
  const env = { HOME: home, XDG_RUNTIME_DIR: home };
  code = await runProgram('dbus-run-session', ['--', 'sh', '-c', IN_SESSION, 'sh', process.execPath, ...tests], { env });
} else {
  code = await runNode(tests[0], tests.slice(1));
}
try {
  const { passed, failed } = vitestCounts(report);
  console.log(`${passed} passed, ${failed} failed`);
} catch (error) {
  console.error(`The test runner left no report: ${error.message}`);
  code ||= 1;
}
rmSync(home, { recursive: true, force: true });
process.exit(code);
