// Running the tools of this checkout as child processes: no shell, signals passed on, exit codes kept.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** This checkout's package.json. */
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The script behind a package's command, so that it runs on this Node, without a shell, on every platform. */
export function toolPath(packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/** Ctrl-C reaches the child from the terminal as well; passed on, it would come twice and look like "quit at once". */
const passedByTerminal = (signal) => signal === 'SIGINT' && process.stdin.isTTY;

/** The exit code that a shell would report for a child ended by a signal. */
const codeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0);

/**
 * Runs a program until it ends and gives its exit code. SIGINT, SIGTERM and SIGHUP are passed on to it.
 * `options` are those of `spawn`; `env` is added to this process's own; `timeout` (ms) ends it with SIGTERM.
 */
export function runProgram(program, args, { env = {}, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options, env: { ...process.env, ...env } });
    const passOn = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => passedByTerminal(signal) || child.kill(signal)]);
    for (const [signal, listener] of passOn) process.on(signal, listener);
    const end = (code) => {
      for (const [signal, listener] of passOn) process.off(signal, listener);
      resolve(code);
    };
    child.on('error', (error) => {
      console.error(`cannot start ${program}: ${error.message}`);
      end(127);
    });
    child.on('exit', (code, signal) => end(codeOf(code, signal)));
  });
}

/** Runs a JavaScript or TypeScript file on this Node. */
export const runNode = (file, args = [], options = {}) => runProgram(process.execPath, [file, ...args], options);
