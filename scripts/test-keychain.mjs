// npm run test:keychain: the tests that need a real keychain. On Linux they get a gnome-keyring of their own, on a private
// session bus and in a throwaway home; the user's keyring is never touched. With --require a missing one is a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vitestCounts } from './lib/counts.mjs';
import { runNode, runProgram, toolPath } from './lib/run.mjs';

const TESTS = 'test/integration/keys/keychain.test.ts';

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
const tests = [toolPath('vitest'), 'run', '--project', 'integration', TESTS, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
/** The tests skip themselves without it, so that no other run writes to somebody's keychain. */
const env = { BURSAR_KEYCHAIN_TEST: '1' };
const code =
  process.platform === 'linux'
    ? await runProgram('dbus-run-session', ['--', 'sh', '-c', IN_SESSION, 'sh', process.execPath, ...tests], {
        env: { ...env, HOME: home, XDG_RUNTIME_DIR: home },
      })
    : await runNode(tests[0], tests.slice(1), { env });
const { passed, failed } = existsSync(report) ? vitestCounts(report) : { passed: 0, failed: 1 };
rmSync(home, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(code || (passed === 0 ? 1 : 0));
