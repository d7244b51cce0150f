// npm run dev [-- the same arguments as npm start]: runs the application and follows the sources. In Electron the pages
// reload by themselves (electron-vite's dev server); headless, a changed source means a new build and a restart, since the
// pages are served under a CSP that a dev server's scripts would break.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, ensureBuilt } from './lib/build.mjs';
import { chooseHost, hostCommand, hostLine } from './lib/host.mjs';
import { root, runNode, toolPath } from './lib/run.mjs';

/** Editors write a file in several steps; one build should see them all. */
const SETTLE_MS = 150;

const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== '--headless');
const host = await chooseHost({ headless: given.includes('--headless') });
console.log(hostLine(host));

if (host.electron) {
  await ensureBuilt({ quiet: true }); // the sandbox, which the dev server does not build
  const env = { BURSAR_NODE: process.execPath };
  process.exit(await runNode(toolPath('electron-vite'), ['dev', '--watch', '--', ...args], { env }));
}

await ensureBuilt();
const command = hostCommand(host, args);
let child;
let stopping = false;

function launch() {
  child = spawn(command.program, command.args, { cwd: root, stdio: 'inherit' });
  child.on('exit', (code) => {
    if (stopping) process.exit(code ?? 0);
    if (code) console.log(`Bursar ended with code ${code}; it starts again at the next change.`);
  });
}

/** Ends the running application and waits for that: a home has room for one. */
async function halt() {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  await ended;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopping = true;
    if (!child.kill(signal)) process.exit(0);
  });
}

let timer;
let building = false;
let changed = false;
async function rebuild() {
  if (building) {
    changed = true;
    return;
  }
  building = true;
  do {
    changed = false;
    console.log('Rebuilding…');
    if ((await build()) === 0 && !changed) {
      await halt();
      launch();
    }
  } while (changed);
  building = false;
}

launch();
watch(join(root, 'src'), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => void rebuild(), SETTLE_MS);
});
