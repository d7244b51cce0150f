// npm run dev [-- the same arguments as npm start]: runs the application and follows the sources: a change means a new build (about
// two seconds) and a restart. A dev server would not do, since both hosts serve the pages under a CSP that its scripts would break.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, ensureBuilt } from './lib/build.mjs';
import { chooseHost, hostCommand, hostLine } from './lib/host.mjs';
import { root } from './lib/run.mjs';

/** Editors write a file in several steps; one build should see them all. */
const SETTLE_MS = 150;

const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== '--headless');
const host = await chooseHost({ headless: given.includes('--headless') });
console.log(hostLine(host));

await ensureBuilt();
const command = hostCommand(host, args);
let child;
let stopping = false;

function launch() {
  child = spawn(command.program, command.args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...command.env } });
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
