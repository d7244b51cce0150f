import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const START_MS = 20_000;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
export const ECHO = here('echo-server.mjs');
export const PUMP = here('pump.mjs');
const LOOPBACK = here('loopback.cjs');

/** A process of the bench that listens. */
export interface Listening {
  /** The first line that it printed. */
  readonly line: string;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a script that prints one line when it listens. */
export async function startListening(script: string, args: readonly string[]): Promise<Listening> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { line, child, stop: () => stop(child) };
}

/** Starts a proxy of others on a free port of the loopback interface and waits until it accepts connections. */
export async function startPeer(script: string, argsFor: (port: number) => readonly string[]): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--require', LOOPBACK, script, ...argsFor(port)], { stdio: ['ignore', 'ignore', 'ignore'] });
  const deadline = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${script} does not listen on port ${port}`);
    await delay(50);
  }
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => stop(child) };
}

const accepts = async (port: number): Promise<boolean> => {
  try {
    await fetch(`http://127.0.0.1:${port}/`).then((response) => response.arrayBuffer());
    return true;
  } catch {
    return false;
  }
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await exited;
  clearTimeout(late);
}
