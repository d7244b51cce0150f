import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SandboxAddresses } from '../../src/sandbox/sandbox.ts';

const entry = fileURLToPath(new URL('../../src/sandbox/index.ts', import.meta.url));

export interface SandboxProcess extends SandboxAddresses {
  /** What `BURSAR_SANDBOX` has to name, so that an application uses this sandbox. */
  readonly readyFile: string;
  fund(network: string, address: string, usdc: bigint): Promise<void>;
  stop(): Promise<void>;
}

/** The sandbox in a process of its own, so that its work takes no time from whatever is measured. */
export async function startSandboxProcess(): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [entry], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
  const addresses = JSON.parse(line) as SandboxAddresses;
  const readyFile = join(mkdtempSync(join(tmpdir(), 'bursar-sandbox-')), 'ready.json');
  writeFileSync(readyFile, line, { mode: 0o600 });
  return {
    ...addresses,
    readyFile,
    async fund(network, address, usdc) {
      const response = await fetch(`${addresses.controlUrl}/fund`, {
        method: 'POST',
        headers: { authorization: `Bearer ${addresses.controlToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ network, address, usdc: usdc.toString(), gas: true }),
      });
      if (!response.ok) throw new Error(`funding failed: ${await response.text()}`);
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
