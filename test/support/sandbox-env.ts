import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** The environment by which an app uses a sandbox that runs already instead of starting its own. Its file goes when the test process ends. */
export function sandboxEnv({ evm, solana, facilitatorUrl, seller, card, controlUrl, controlToken }: Sandbox): { readonly BURSAR_SANDBOX: string } {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-sandbox-env-'));
  const file = join(folder, 'ready.json');
  writeFileSync(file, JSON.stringify({ evm, solana, facilitatorUrl, seller, card, controlUrl, controlToken }));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { BURSAR_SANDBOX: file };
}
