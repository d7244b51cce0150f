// Runs a command on a Node that is new enough (>= 22.18: better-sqlite3 needs 22, type stripping 22.18): the machine's
// own, else the one that `npm ci` brought as an optional dependency. Plain code that any Node since 18 can read.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const windows = process.platform === 'win32';
const env = { ...process.env };
const pathKey = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
env[pathKey] = join(root, 'node_modules', '.bin') + delimiter + env[pathKey];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  const platform = `${windows ? 'win' : process.platform}-${process.arch}`;
  const bin = [`node-${platform}`, `node-bin-${platform}`]
    .map((name) => join(root, 'node_modules', name, 'bin'))
    .find((dir) => existsSync(join(dir, windows ? 'node.exe' : 'node')));
  if (!bin) {
    console.error(`Bursar needs Node 22.18 or newer. This is ${process.version}, and no Node for ${platform} came with the packages. Install Node 24, or run: npm ci --include=optional`);
    process.exit(1);
  }
  env[pathKey] = bin + delimiter + env[pathKey];
}

const [command, ...args] = process.argv.slice(2);
// Windows runs the packages' commands (.cmd files) through a shell only, which does not keep spaces in arguments: node itself goes without.
const child = spawn(command, args, { stdio: 'inherit', env, shell: windows && command !== 'node' });
// Ctrl-C reaches the child from the terminal as well; passed on, it would come twice.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
child.on('error', (error) => {
  console.error(`cannot start ${command}: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
