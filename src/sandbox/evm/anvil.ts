import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BursarError } from '../../shared/errors/errors.ts';
import { EVM_CHAIN_ID } from '../networks.ts';
import { anvilBinary } from './anvil-binary.ts';

const START_TIMEOUT_MS = 20_000;
const LISTENING = /Listening on (127\.0\.0\.1:\d+)/;

// Runs the command given to it and kills it when stdin ends, which it does even if the parent is killed.
const GUARD = `
const child = require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] });
process.stdin.resume().once('close', () => child.kill('SIGKILL'));
child.once('exit', (code) => process.exit(code ?? 1));`;

export interface AnvilOptions {
  /** A block is mined at least this often, also when nothing happens: chain time and finality advance. */
  readonly idleBlockSeconds: number;
  /** How anvil is tied to this process; by default the best that the machine offers. */
  readonly leash?: Leash;
}

/** `kernel`: Linux kills anvil when its parent dies (`setpriv --pdeathsig`). `guard`: a small Node process does. */
export type Leash = 'kernel' | 'guard';

/** A running anvil. */
export interface Anvil {
  readonly rpcUrl: string;
  /** The process to signal: anvil itself under the `kernel` leash. */
  readonly pid: number;
  /** Resolves when the process is gone, wanted or not. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts anvil on a free port of 127.0.0.1 with Base Sepolia's chain id. A transaction is mined at once; `finalized` trails the
 * head by two blocks. Throws `CHAIN_UNREACHABLE` when it does not come up.
 */
export async function startAnvil({ idleBlockSeconds, leash = bestLeash() }: AnvilOptions): Promise<Anvil> {
  // Made by anvil, once it has more states than it keeps in memory.
  const cache = join(tmpdir(), `bursar-anvil-${randomUUID()}`);
  const child = spawnLeashed(leash, anvilBinary(), [
    '--host=127.0.0.1',
    '--port=0',
    `--chain-id=${EVM_CHAIN_ID}`,
    '--accounts=2',
    '--mixed-mining',
    `--block-time=${idleBlockSeconds}`,
    '--slots-in-an-epoch=1',
    '--order=fifo',
    `--cache-path=${cache}`,
    '--max-persisted-states=64',
    '--threads=2',
  ]);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => rm(cache, { recursive: true, force: true }));
  const stop = async (): Promise<void> => {
    if (leash === 'guard') child.stdin?.destroy();
    else child.kill('SIGKILL');
    await exited;
  };
  try {
    const rpcUrl = await listening(child);
    return { rpcUrl, pid: child.pid ?? 0, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The surest leash that this machine offers. */
export function bestLeash(): Leash {
  const probe = process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], { stdio: 'ignore' });
  return probe && probe.status === 0 ? 'kernel' : 'guard';
}

function spawnLeashed(leash: Leash, binary: string, args: readonly string[]): ChildProcess {
  return leash === 'kernel'
    ? spawn('setpriv', ['--pdeathsig', 'KILL', binary, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(process.execPath, ['-e', GUARD, binary, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** The RPC address, once anvil says that it listens. Keeps draining its output afterwards, lest the pipe fill up. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => reject(new BursarError('CHAIN_UNREACHABLE', `anvil ${why}. ${output.trim().slice(-500)}`.trim()));
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-8_192);
      const match = LISTENING.exec(output);
      if (!match) return;
      clearTimeout(timer);
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', read).resume();
      resolve(`http://${match[1]}`);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', read);
    child.once('error', (error) => (clearTimeout(timer), fail(`cannot be started: ${error.message}`)));
    child.once('exit', (code) => (clearTimeout(timer), fail(`ended with code ${code}`)));
  });
}
