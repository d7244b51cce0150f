import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { writeLaunchCommand } from '../../src/main/bridge/endpoint.ts';
import { entryOf } from '../support/app-process.ts';

const INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n';

test('of several shims that a client starts at once, on an application that does not run, one wins and the others fail for good', async () => {
  const home = mkdtempSync(join(tmpdir(), 'bursar-shims-'));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  writeLaunchCommand(home, { command: process.execPath, args: [entryOf('cli.js'), 'serve', '--home', home, '--network', 'sandbox', '--port', '0', '--vault'] });
  onTestFinished(() => {
    process.kill(Number(readFileSync(join(home, 'run', 'engine.pid'), 'utf8')), 'SIGTERM');
  });
  const answers = Array.from({ length: 4 }, () => {
    const shim = spawn(process.execPath, [entryOf('shim.js'), '--home', home, '--upstream', 'demo', '--client', 'test'], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void shim.kill());
    shim.stdin.write(INITIALIZE);
    return new Promise<string>((resolve) => createInterface({ input: shim.stdout }).once('line', resolve));
  });
  for (const answer of await Promise.all(answers)) expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'bursar-demo-seller' } } });
});
