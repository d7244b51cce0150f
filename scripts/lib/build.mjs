// Building the application and the sandbox, and telling cheaply whether that is needed.
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNode, toolPath } from './run.mjs';

const SOURCES = ['src', 'resources', 'electron.vite.config.ts', 'sandbox.vite.config.ts', 'package-lock.json'];

/** The latest change (ms) of a file or of anything under a folder; 0 where there is none. */
function newestChange(path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return 0;
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestChange(join(path, name))), info.mtimeMs);
}

/** Written after a build; its time is that of the build's start, so an edit made meanwhile counts as newer. */
const stampOf = (failpoints) => join(root, failpoints ? 'out-test' : 'out', '.built');

/** True when the build in `out/`, or with `failpoints` in `out-test/`, is newer than every source. Folders count, so a removed file is seen too. */
export function isBuildFresh({ failpoints = false } = {}) {
  const built = statSync(stampOf(failpoints), { throwIfNoEntry: false });
  return built !== undefined && SOURCES.every((name) => newestChange(join(root, name)) <= built.mtimeMs);
}

/**
 * Builds main, preload, renderer and sandbox into `out/`, or with `failpoints` into `out-test/`; gives the exit code.
 * The tools' words go to standard error with `quiet`, so that standard output stays the caller's.
 */
export async function build({ failpoints = false, quiet = false } = {}) {
  const begun = new Date();
  const options = { env: failpoints ? { BURSAR_BUILD: 'failpoints' } : {}, stdio: quiet ? ['ignore', 2, 2] : 'inherit' };
  const app = await runNode(toolPath('electron-vite'), ['build', '--logLevel', 'warn'], options);
  if (app !== 0) return app;
  const sandbox = await runNode(toolPath('vite'), ['build', '--config', 'sandbox.vite.config.ts', '--logLevel', 'warn'], options);
  if (sandbox === 0) {
    writeFileSync(stampOf(failpoints), '');
    utimesSync(stampOf(failpoints), begun, begun);
  }
  return sandbox;
}

/** Set while tests run that start what was built: a build under them would take the programs away that they run. */
const UNDER_TESTS = 'BURSAR_UNDER_TESTS';

/** Builds unless the build is fresh. Ends this process when the build fails, or where tests are running. */
export async function ensureBuilt(options = {}) {
  if (isBuildFresh(options)) return;
  if (process.env[UNDER_TESTS] === '1') {
    const [folder, command] = options.failpoints ? ['out-test/', 'npm run build:failpoints'] : ['out/', 'npm run build'];
    console.error(`${folder} is missing, or older than what it is built from, and nothing is built while tests run. Run first: ${command}`);
    process.exit(1);
  }
  console.error('Building…');
  const code = await build(options);
  if (code !== 0) process.exit(code);
}
