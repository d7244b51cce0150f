import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { UpstreamTransport } from '../../src/shared/contract/upstreams.ts';
import type { SandboxProcess } from '../support/sandbox-process.ts';

const folder = fileURLToPath(new URL('../foreign', import.meta.url));
const program = (name: string) => `${folder}/sellers/${name}.mjs`;

/** The servers that others wrote, while they run. */
export interface ForeignSellers {
  /** Base addresses of their paid HTTP APIs. */
  readonly apis: Readonly<Record<string, string>>;
  /** Their MCP servers by the name of the upstream that stands for them. */
  readonly upstreams: ReadonlyMap<string, UpstreamTransport>;
  close(): Promise<void>;
}

/** Installs what the lock file of `test/foreign` names, where that is not there yet. Its words go to standard error. */
export async function installForeign(): Promise<void> {
  const installed = statSync(`${folder}/node_modules/.package-lock.json`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (installed >= statSync(`${folder}/package-lock.json`).mtimeMs) return;
  console.error('Installing the foreign sellers…');
  const child = spawn('npm', ['ci'], { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error('npm ci failed in test/foreign');
}

/** Starts them against a sandbox. */
export async function startForeignSellers({ evm, solana, facilitatorUrl, seller }: SandboxProcess): Promise<ForeignSellers> {
  const world = JSON.stringify({
    facilitatorUrl,
    payTo: seller.payTo,
    networks: { evm: evm.network, solana: solana.network },
    evmRpcUrl: evm.rpcUrl,
    evmChainId: evm.chainId,
    evmUsdc: evm.usdc,
  });
  const children: ChildProcess[] = [];
  const start = async (name: string): Promise<string> => {
    const child = spawn(process.execPath, [program(name)], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, FOREIGN_WORLD: world } });
    children.push(child);
    return new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`the seller ${name} ended with ${code}`)));
    });
  };
  const [express, mcpay, vercel, mppx] = await Promise.all([start('express'), start('mcpay'), start('vercel'), start('mppx')]);
  const http = (url: string): UpstreamTransport => ({ kind: 'http', url, headers: {} });
  const stdio = (name: string, ...flags: string[]): UpstreamTransport => ({ kind: 'stdio', command: process.execPath, args: [program(name), '--stdio', ...flags], env: { FOREIGN_WORLD: world } });
  return {
    apis: { express, mppx },
    upstreams: new Map([
      ['mcpay-http-evm', http(`${mcpay}/evm/mcp`)],
      ['mcpay-http-svm', http(`${mcpay}/svm/mcp`)],
      ['mcpay-stdio-evm', stdio('mcpay')],
      ['mcpay-stdio-svm', stdio('mcpay', '--svm')],
      ['vercel-http-evm', http(`${vercel}/mcp`)],
      ['vercel-base-http-evm', http(`${vercel}/base/mcp`)],
      ['mppx-http-evm', http(`${mppx}/mcp`)],
      ['mppx-stdio-evm', stdio('mppx')],
    ]),
    async close() {
      await Promise.all(
        children.map((child) => {
          const exited = new Promise((resolve) => child.once('exit', resolve));
          child.stdin?.end();
          return exited;
        }),
      );
    },
  };
}
