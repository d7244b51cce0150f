import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import type { PaymentHook } from '../../../src/main/bridge/payment-hook.ts';
import { startAuthorizationServer } from '../../support/oauth/authorization-server.mjs';
import { openAuthWorld } from '../../support/oauth/auth-world.ts';
import { startProtectedServer } from '../../support/oauth/protected-server.ts';

const SECRET = 'canary-machine-secret';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PRIVATE_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const machine = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
const CLIENTS = [
  { ...machine, client_id: 'robot', client_secret: SECRET },
  { ...machine, client_id: 'signer', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [publicKey.export({ format: 'jwk' })] } },
];

async function world(hook?: PaymentHook) {
  const known: string[] = [];
  const authorization = await startAuthorizationServer({ resources: () => known, scopes: ['read', 'wide'], clients: CLIENTS });
  onTestFinished(() => authorization.close());
  const server = await startProtectedServer({ issuer: () => authorization.issuer, scopeOf: (token) => authorization.scopeOf(token), scopes: ['read'] });
  onTestFinished(() => server.close());
  known.push(server.url);
  const opened = await openAuthWorld({ ...(hook && { hook }) });
  const add = (auth: { clientId: string; clientSecret?: string; privateKey?: string; issuer?: string; scope?: string }, headers: Record<string, string> = {}) =>
    opened.upstreams.add('shop', { kind: 'http', url: server.url, headers, auth: { kind: 'client-credentials', algorithm: 'ES256', issuer: authorization.issuer, ...auth } });
  return { ...opened, authorization, server, add };
}

it.each([
  ['a secret', { clientId: 'robot', clientSecret: SECRET }],
  ['a private key', { clientId: 'signer', privateKey: PRIVATE_KEY }],
])('a client with %s of its own waits for an owner, asks for a token for every call, or keeps one that is over', async (_name, auth) => {
  const { add, client, auths, authorization, server, later } = await world();
  await add(auth);
  expect(auths.view('shop')).toMatchObject({ kind: 'client-credentials', state: 'automatic' });
  const call = await client('shop');
  for (let count = 0; count < 3; count++) expect((await call('narrow')).result).toBeDefined();
  expect(authorization.tokenRequests).toEqual(['client_credentials']);
  expect(authorization.tokenParams[0]?.get('resource')).toBe(server.url);
  authorization.expireAccessTokens();
  later(11_000);
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('narrow')));
  expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  expect(authorization.tokenRequests).toHaveLength(2);
});

it('a client of its own gets more rights than the owner named, or none where the owner named none', async () => {
  const { add, client, authorization, upstreams } = await world();
  await add({ clientId: 'robot', clientSecret: SECRET });
  const call = await client('shop');
  expect((await call('wide')).result).toBeDefined();
  expect(authorization.tokenParams.at(-1)?.get('scope')?.split(' ').toSorted()).toEqual(['read', 'wide']);
  await upstreams.remove('shop');
  await add({ clientId: 'robot', clientSecret: SECRET, scope: 'read' });
  const narrow = await client('shop');
  expect((await narrow('narrow')).result).toBeDefined();
  expect((await narrow('wide')).error?.data).toMatchObject({ code: 'UPSTREAM_REFUSED' });
});

it('a secret goes to an issuer that the server named and the owner did not (I6)', async () => {
  const { add, client, authorization, written, auths } = await world();
  await add({ clientId: 'robot', clientSecret: SECRET, issuer: 'https://auth.example' });
  const call = await client('shop');
  expect((await call('narrow')).error?.data).toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
  expect(authorization.tokenRequests).toEqual([]);
  await expect(auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
  expect(await written()).not.toContain(SECRET);
});

it('a secret goes to an issuer that somebody wrote into the database', async () => {
  const { add, folder, close, authorization } = await world();
  await add({ clientId: 'robot', clientSecret: SECRET });
  await close();
  const db = openDatabase(join(folder, 'bursar.db'));
  db.prepare('UPDATE upstreams SET transport = replace(transport, ?, ?)').run(authorization.issuer, 'https://evil.example');
  db.close();
  await expect(openAuthWorld({ folder })).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
});

it('a locked wallet signs in all the same, or says that there is no such server', async () => {
  const { add, client, setLocked, auths } = await world();
  await add({ clientId: 'robot', clientSecret: SECRET });
  await setLocked(true);
  expect(auths.view('shop')).toMatchObject({ state: 'locked' });
  const call = await client('shop');
  expect((await call('narrow')).error?.data).toMatchObject({ code: 'WALLET_LOCKED' });
  await setLocked(false);
  const unlocked = await client('shop');
  expect((await unlocked('narrow')).result).toBeDefined();
});

it('I1: a call that carries a payment is sent again because of its token', async () => {
  let paid = 0;
  const outcomes: string[] = [];
  const hook: PaymentHook = {
    looksPaid: (_scan, text) => text.includes('pay me'),
    async onAnswer(_call, _text, io) {
      await io.retry({ headers: { 'x-payment': 'proof' } }).then(
        () => outcomes.push('answered'),
        (error: { code: string }) => outcomes.push(error.code),
      );
      return undefined;
    },
  };
  const { add, client, server, authorization, later } = await world(hook);
  await add({ clientId: 'robot', clientSecret: SECRET });
  const call = await client('shop');
  expect((await call('narrow')).result).toBeDefined();
  later(11_000);
  server.intercept = (request, response) => {
    const isPaid = request.headers['x-payment'] !== undefined;
    if (request.method !== 'POST' || request.url !== '/mcp') return false;
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => {
      if (isPaid) {
        paid += 1;
        response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      } else {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(text) as { id: number }).id, result: { content: [{ type: 'text', text: 'pay me' }] } }));
      }
    });
    return true;
  };
  await call('narrow');
  expect({ paid, outcomes }).toEqual({ paid: 1, outcomes: ['UPSTREAM_REFUSED'] });
  await expect.poll(() => authorization.tokenRequests.length).toBe(2);
});

it('a configured credential is sent in the place of a token, or a configured header is lost', async () => {
  const { add, client, server } = await world();
  await add({ clientId: 'robot', clientSecret: SECRET }, { Authorization: 'Bearer configured', 'X-Team': 'red' });
  const call = await client('shop');
  expect((await call('narrow')).result).toBeDefined();
  const last = server.served.at(-1);
  expect(last?.headers['x-team']).toBe('red');
  expect(last?.authorization).toMatch(/^Bearer (?!configured)/);
  expect(server.refused[0]?.authorization).toBe('Bearer configured');
});
