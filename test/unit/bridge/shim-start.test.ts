import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectToApp } from '../../../src/main/bridge/shim-connection.ts';

test('an app that cannot start: the client is not told why', async () => {
  const home = mkdtempSync(join(tmpdir(), 'bursar-start-'));
  mkdirSync(join(home, 'run'));
  const launch = { command: process.execPath, args: ['-e', 'console.error("first\\nthe port is taken"); process.exitCode = 1'] };
  const connecting = connectToApp({ home, hello: { role: 'control' }, launch, startMs: 20_000 });
  await expect(connecting).rejects.toThrow('Bursar could not be started (exit code 1: the port is taken).');
});
