// npm run package [-- --dir]: the packages for this machine's system in dist/packages, looked at before they are anyone's. It needs Electron's
// binary, which electron-builder fetches (ELECTRON_MIRROR names another place), and signs where the certificates are in the environment.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'electron-builder';
import config from '../electron-builder.config.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { inspectPacked } from './lib/packed.mjs';
import { manifest, root } from './lib/run.mjs';

const output = join(root, config.directories.output);
rmSync(output, { recursive: true, force: true });
await ensureBuilt();
const made = await build({ projectDir: root, config, publish: 'never', ...(process.argv.includes('--dir') && { dir: true }) });

/** Folders as electron-builder names them: `linux-unpacked`, `linux-arm64-unpacked`, `mac`, `mac-arm64`, `win-unpacked`. */
const UNPACKED = /^(linux|mac|win)(?:-(arm64))?(?:-unpacked)?$/;
const PLATFORMS = { linux: 'linux', mac: 'darwin', win: 'win32' };
const problems = [];
for (const name of readdirSync(output)) {
  const [, system, arch] = UNPACKED.exec(name) ?? [];
  if (system === undefined) continue;
  const found = await inspectPacked({ folder: join(output, name), target: `${PLATFORMS[system]}-${arch ?? 'x64'}`, devDependencies: Object.keys(manifest.devDependencies), executableName: config.linux.executableName });
  problems.push(...found.problems.map((problem) => `${name}: ${problem}`));
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  // Nobody is to give away what is not as it has to be.
  for (const artifact of made) rmSync(artifact, { force: true });
  process.exit(1);
}
console.log(made.join('\n'));
