import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/** A checkout that holds nothing but the scripts and one source; whatever it would build with is missing. */
function bareCheckout(): string {
  const root = mkdtempSync(join(tmpdir(), 'bursar-checkout-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(checkout, 'scripts'), join(root, 'scripts'), { recursive: true });
  cpSync(join(checkout, 'package.json'), join(root, 'package.json'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src', 'one.ts'), '');
  return root;
}

const underTests = (root: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'run-built.mjs'), ...args], { cwd: root, encoding: 'utf8', env: { ...process.env, BURSAR_UNDER_TESTS: '1' } });

test.each([
  ['missing', false],
  ['older than a source', true],
])('a script that a test starts builds under the other tests, or does not say what to do: the build is %s', (_name, isThere) => {
  const root = bareCheckout();
  if (isThere) {
    mkdirSync(join(root, 'out'));
    writeFileSync(join(root, 'out', '.built'), '');
    utimesSync(join(root, 'out', '.built'), 1, 1);
  }
  const { status, stderr } = underTests(root, 'scripts/none.mjs');
  expect(stderr).toBe('out/ is missing, or older than what it is built from, and nothing is built while tests run. Run first: npm run build\n');
  expect(status).toBe(1);
  expect(existsSync(join(root, 'out'))).toBe(isThere);
  expect(underTests(root, '--failpoints', 'scripts/none.mjs').stderr).toContain('npm run build:failpoints');
});

test('a script that a test starts does not run although the build is fresh', () => {
  const root = bareCheckout();
  mkdirSync(join(root, 'out'));
  writeFileSync(join(root, 'out', '.built'), '');
  const later = Date.now() / 1000 + 60;
  utimesSync(join(root, 'out', '.built'), later, later);
  writeFileSync(join(root, 'said.mjs'), 'console.log(process.argv[2]);');
  expect(underTests(root, 'said.mjs', 'hello')).toMatchObject({ status: 0, stdout: 'hello\n' });
});
