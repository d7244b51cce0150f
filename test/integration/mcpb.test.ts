import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { runCli, startApp } from '../support/app-process.ts';
import { runScript } from '../support/run-script.ts';
import { callAsClient } from '../support/stdio-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const Manifest = z.looseObject({ version: z.string(), server: z.object({ mcp_config: z.object({ command: z.literal('node'), args: z.array(z.string()), env: z.record(z.string(), z.string()) }) }), user_config: z.record(z.string(), z.unknown()) });

test('the bundle is not valid, or what it installs does not reach Bursar as a client of its own', async () => {
  await runScript('bundle-mcpb.mjs');
  const app = await startApp();
  onTestFinished(async () => {
    await app.stop();
    rmSync(app.home, { recursive: true, force: true });
  });
  const { token } = JSON.parse(await runCli(['--home', app.home, 'client', 'add', 'mcpb', '--json'])) as { token: string };

  const folder = join(root, 'dist', 'mcpb');
  const { version, server, user_config: asked } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  expect(version).toBe((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version);
  const given = { home: app.home, token };
  expect(Object.keys(asked).toSorted()).toEqual(Object.keys(given).toSorted());
  const filled = (text: string) => text.replaceAll('${__dirname}', folder).replaceAll('${user_config.home}', given.home).replaceAll('${user_config.token}', given.token);
  const entry = { command: process.execPath, args: server.mcp_config.args.map(filled), env: Object.fromEntries(Object.entries(server.mcp_config.env).map(([name, value]) => [name, filled(value)])) };

  expect(await callAsClient(entry, 'demo__city_time', { timeZone: 'Europe/Berlin' })).toContain('utcOffset');
  const { clients } = JSON.parse(await runCli(['--home', app.home, 'client', 'list', '--json'])) as { clients: { name: string; lastSeen?: number }[] };
  expect(clients.find(({ name }) => name === 'mcpb')?.lastSeen).toBeGreaterThan(0);
});
