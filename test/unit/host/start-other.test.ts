import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startOther } from '../../../src/main/host/start-other.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bursar-start-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test('real money opens in the folder of this money, or without the Node that this program needs', async () => {
  vi.stubEnv('BURSAR_HOME', '/home/ada/play');
  const seen = join(folder, 'seen.json');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify([process.argv.slice(-2), process.env.BURSAR_HOME ?? 'none', process.env.BURSAR_NODE]))`;
  await startOther({ command: process.execPath, args: ['-e', script, '--'], env: { BURSAR_NODE: '/opt/node' } })('mainnet');
  await vi.waitFor(() => expect(existsSync(seen) && readFileSync(seen, 'utf8')).toBe(JSON.stringify([['--network', 'mainnet'], 'none', '/opt/node'])), { timeout: 10_000 });
});

test('a program that is gone is said to have started', async () => {
  await expect(startOther({ command: join(folder, 'none'), args: [] })('testnet')).rejects.toMatchObject({ code: 'ENOENT' });
});
