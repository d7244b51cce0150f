import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import { startApp } from '../support/app-process.ts';
import { allowEverything, ownerContract } from '../support/contract.ts';
import { httpAgent, type HttpAgent, type ToolAnswer } from '../support/http-agent.ts';
import { startSandboxProcess, type SandboxProcess } from '../support/sandbox-process.ts';
import { filesystemOf, folderOnDisk, fsyncProbe } from './disk.ts';
import { median, milliseconds, rounded } from './statistics.ts';

const WARM_UP = 10;
const ROUNDS = 60;

const CHAINS = [
  { name: 'evm', tool: 'sun_times', arguments: (round: number) => ({ latitude: 50 + round / 100, longitude: 13, date: '2026-06-21' }) },
  { name: 'solana', tool: 'moon_phase', arguments: (round: number) => ({ date: new Date(Date.UTC(2026, 0, 1 + round)).toISOString().slice(0, 10) }) },
] as const;

interface Scheme {
  createPaymentPayload(version: number, offer: never): Promise<{ payload: unknown }>;
}

/**
 * An auto-approved paid call through Bursar against a bare MCP client that signs with the stock x402 scheme classes: same seller,
 * same transport, interleaved. `addedMs` is what Bursar costs at the median: policy, journal, bridge, page updates.
 */
export async function paidCall(): Promise<{ json: object; text: string }> {
  const folder = folderOnDisk();
  const sandbox = await startSandboxProcess();
  const app = await startApp({ home: `${folder}/home`, env: { BURSAR_SANDBOX: sandbox.readyFile } });
  const fsync = fsyncProbe(folder);
  try {
    const contract = await ownerContract(app.home);
    await allowEverything(contract);
    contract.close();
    const bursar = await httpAgent(app);
    const bare = await httpAgent({ mcp: sandbox.seller.mcpUrl.replace(/\/mcp$/, ''), token: '' }, 'mcp');
    const schemes = await fundedSchemes(sandbox);
    const times = new Map<string, number[]>();
    const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);

    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      for (const { name, tool, arguments: argumentsOf } of CHAINS) {
        const args = argumentsOf(round);
        const bareMs = await milliseconds(() => payBare(bare, schemes[name], tool, args));
        const bursarMs = await milliseconds(async () => served(await bursar.call(tool, args)));
        const fsyncMs = await milliseconds(() => fsync.flush());
        if (round < WARM_UP) continue;
        note(`${name} bare`, bareMs);
        note(`${name} bursar`, bursarMs);
        note('fsync', fsyncMs);
      }
    }
    const at = (name: string) => median(times.get(name) ?? []);
    const row = (name: string) => ({
      bareMs: rounded(at(`${name} bare`)),
      bursarMs: rounded(at(`${name} bursar`)),
      addedMs: rounded(at(`${name} bursar`) - at(`${name} bare`)),
      ratio: rounded(at(`${name} bursar`) / at(`${name} bare`)),
    });
    const json = { evm: row('evm'), solana: row('solana'), fsyncMs: rounded(at('fsync')), filesystem: filesystemOf(folder) };
    return { json, text: toText(json) };
  } finally {
    fsync.close();
    await app.stop();
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fundedSchemes(sandbox: SandboxProcess): Promise<Record<'evm' | 'solana', Scheme>> {
  const evm = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
  const solana = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(randomBytes(32)));
  await sandbox.fund(sandbox.evm.network, evm.address, 1_000_000_000n);
  await sandbox.fund(sandbox.solana.network, solana.address, 1_000_000_000n);
  return { evm: new ExactEvmScheme(evm), solana: new ExactSvmScheme(solana, { rpcUrl: sandbox.solana.rpcUrl }) };
}

/** What a client without Bursar does: call, read the challenge, sign, call again. */
async function payBare(agent: HttpAgent, scheme: Scheme, tool: string, args: object): Promise<void> {
  const challenge = await agent.call(tool, args);
  const required = JSON.parse(challenge.result?.content[0]?.text ?? '') as { accepts: unknown[]; resource: unknown };
  const accepted = required.accepts[0];
  const { payload } = await scheme.createPaymentPayload(2, accepted as never);
  served(await agent.call(tool, args, { 'x402/payment': { x402Version: 2, resource: required.resource, accepted, payload } }));
}

function served(answer: ToolAnswer): void {
  if (!answer.result || answer.result.isError) throw new Error(`the call was not served: ${JSON.stringify(answer)}`);
}

type Row = { bareMs: number; bursarMs: number; addedMs: number; ratio: number };

function toText({ evm, solana, fsyncMs, filesystem }: { evm: Row; solana: Row; fsyncMs: number; filesystem: string }): string {
  const line = (name: string, row: Row) => `${name.padEnd(8)} bare ${row.bareMs} ms   through Bursar ${row.bursarMs} ms   added ${row.addedMs} ms   ratio ${row.ratio}`;
  const goal = rounded(5 + 2 * fsyncMs);
  return [`A paid call, medians of ${ROUNDS}, interleaved:`, line('EVM', evm), line('Solana', solana), `One fsync on ${filesystem}: ${fsyncMs} ms. Goal: at most 5 ms + 2 fsyncs = ${goal} ms added.`].join('\n');
}
