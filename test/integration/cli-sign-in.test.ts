import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Check } from '../../src/shared/contract/app.ts';
import { entryOf, runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { httpAgent } from '../support/http-agent.ts';
import { startAuthorizationServer, type AuthorizationServer } from '../support/oauth/authorization-server.mjs';
import { browse } from '../support/oauth/browser.ts';
import { startProtectedServer, type ProtectedServer } from '../support/oauth/protected-server.ts';

/** Each command starts a process of its own, and a machine under test is slow at that. */
const PATIENCE = 180_000;
const SECRET = 'canary-secret-of-the-robot';
let app: AppProcess;
let authorization: AuthorizationServer;
let server: ProtectedServer;
const cli = (...words: string[]) => runCli(['--home', app.home, ...words]);

beforeAll(async () => {
  const robot = { client_id: 'robot', client_secret: SECRET, redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
  authorization = await startAuthorizationServer({ resources: () => [server.url], scopes: ['read'], clients: [robot] });
  server = await startProtectedServer({ issuer: () => authorization.issuer, scopeOf: (token) => authorization.scopeOf(token), scopes: ['read'] });
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await server.close();
  await authorization.close();
  rmSync(app.home, { recursive: true, force: true });
});

/** `upstream authorize`, with its page opened as a person would. */
async function signIn(name: string) {
  const child = spawn(process.execPath, [entryOf('cli.js'), '--home', app.home, 'upstream', 'authorize', name, '--no-browser', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill());
  const output = text(child.stdout);
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('http')) continue;
    expect((await browse(line)).text).toContain('You are signed in');
    break;
  }
  if (child.exitCode === null) await once(child, 'exit');
  return JSON.parse(await output) as { name: string; authorization: { state: string; issuer: string } };
}

test('a person at a terminal cannot sign in to a server, or is not told that they have to', async () => {
  await cli('upstream', 'add', 'shop', '--url', server.url, '--oauth');
  const { greeting: before } = await httpAgent(app, 'shop');
  expect(before.error?.message).toContain('UPSTREAM_AUTHORIZATION_NEEDED');
  expect(before.error?.message).toContain('upstream authorize shop');
  expect(await cli('upstream', 'list')).toMatch(/shop .*waits for you to sign in/);
  const { checks } = JSON.parse(await cli('doctor', '--json')) as { checks: Check[] };
  expect(checks.find(({ name }) => name === 'server shop')).toMatchObject({ state: 'warn', todo: expect.stringContaining('upstream authorize shop') });

  expect(await signIn('shop')).toMatchObject({ name: 'shop', authorization: { state: 'signed-in', issuer: authorization.issuer } });
  expect((await (await httpAgent(app, 'shop')).call('narrow', {})).result?.content[0]?.text).toContain('narrow with');
  expect(server.served.some(({ headers }) => JSON.stringify(headers).includes(app.token)), 'the client\'s own bearer went to the server').toBe(false);

  const { home } = app;
  await app.stop();
  app = await startApp({ home });
  expect((await (await httpAgent(app, 'shop')).call('narrow', {})).result).toBeDefined();
  const secrets = server.served.map(({ authorization: value }) => value?.slice('Bearer '.length) ?? '');
  const log = readFileSync(join(home, 'logs', 'bursar.log'), 'utf8');
  expect(secrets.filter((secret) => secret !== '' && log.includes(secret)), 'I6').toEqual([]);

  expect(JSON.parse(await cli('upstream', 'sign-out', 'shop', '--json'))).toEqual({ name: 'shop', signedOut: true });
  expect((await httpAgent(app, 'shop')).greeting.error?.message).toContain('UPSTREAM_AUTHORIZATION_NEEDED');
}, PATIENCE);

test('a client with credentials of its own shows them, or is added half', async () => {
  const file = join(app.home, 'secret.txt');
  writeFileSync(file, `${SECRET}\n`);
  const words = ['upstream', 'add', 'machine', '--url', server.url, '--client-credentials', '--client-id', 'robot', '--client-secret-file', file];
  await expect(cli(...words)).rejects.toThrow('INPUT_INVALID');
  await expect(cli('upstream', 'add', 'x', '--url', server.url, '--client-id', 'robot')).rejects.toThrow('--oauth or --client-credentials');
  await expect(cli('upstream', 'add', 'x', '--oauth', '--', 'node')).rejects.toThrow('INPUT_INVALID');
  await expect(cli('upstream', 'add', 'x', '--url', server.url, '--oauth', '--client-id', 'robot', '--client-secret-file', file)).rejects.toThrow('its issuer');
  const added = await cli(...words, '--issuer', authorization.issuer, '--json');
  expect((await (await httpAgent(app, 'machine')).call('narrow', {})).result).toBeDefined();
  const listed = await cli('upstream', 'list', '--json');
  expect(JSON.parse(listed)).toMatchObject({ upstreams: expect.arrayContaining([expect.objectContaining({ name: 'machine', authorization: expect.objectContaining({ state: 'automatic' }) })]) });
  expect(`${added}${listed}`).not.toContain(SECRET);
  expect(JSON.parse(await cli('upstream', 'authorize', 'machine', '--json'))).toMatchObject({ authorization: { kind: 'client-credentials', state: 'automatic' } });
}, PATIENCE);
