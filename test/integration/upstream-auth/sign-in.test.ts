import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { startAuthorizationServer, type AuthorizationServer, type AuthorizationServerOptions } from '../../support/oauth/authorization-server.mjs';
import { openAuthWorld, type AuthWorld, type AuthWorldOptions } from '../../support/oauth/auth-world.ts';
import { browse } from '../../support/oauth/browser.ts';
import { startProtectedServer, type ProtectedServer } from '../../support/oauth/protected-server.ts';

const SCOPES = ['read', 'wide'];

interface World extends AuthWorld {
  readonly authorization: AuthorizationServer;
  readonly server: ProtectedServer;
}

async function world(options: AuthWorldOptions & Partial<AuthorizationServerOptions> & { readonly auth?: false | Record<string, unknown> } = {}): Promise<World> {
  const known: string[] = [];
  const authorization = await startAuthorizationServer({ resources: () => known, scopes: SCOPES, ...options });
  onTestFinished(() => authorization.close());
  const server = await startProtectedServer({ issuer: () => authorization.issuer, scopeOf: (token) => authorization.scopeOf(token), scopes: ['read'] });
  onTestFinished(() => server.close());
  known.push(server.url);
  const opened = await openAuthWorld(options);
  const { auth = { kind: 'oauth' } } = options;
  await opened.upstreams.add('shop', { kind: 'http', url: server.url, headers: {}, ...(auth !== false && { auth: auth as { kind: 'oauth' } }) });
  return Object.assign(opened, { authorization, server });
}

describe('a sign-in', () => {
  it('leaves the call of an agent without a clear answer, or opens a page for it (I7)', async () => {
    const { client, auths, server } = await world();
    const call = await client('shop');
    const { error } = await call('narrow');
    expect(error?.data).toMatchObject({ code: 'UPSTREAM_AUTHORIZATION_NEEDED', hint: expect.stringContaining('bursar upstream authorize shop') });
    expect(auths.view('shop')).toMatchObject({ kind: 'oauth', state: 'needed' });
    expect(auths.waiting()).toEqual(['shop']);
    expect(server.served).toEqual([]);
  });

  it('fails with a real provider: registration, PKCE, resource, issuer and state', async () => {
    const { client, auths, authorization, server, signIn } = await world();
    const shown = await signIn('shop');
    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('You are signed in') });
    expect(auths.view('shop')).toMatchObject({ state: 'signed-in', issuer: authorization.issuer, scope: expect.stringContaining('read') });
    expect(authorization.tokenParams[0]?.get('resource')).toBe(server.url);
    expect(authorization.tokenParams[0]?.get('code_verifier')).toHaveLength(43);
    const call = await client('shop');
    expect((await call('narrow')).result?.content?.[0]?.text).toContain('narrow with');
    expect(auths.waiting()).toEqual([]);
  });

  it('is not offered to an owner who has set nothing up, or changes what such a server says', async () => {
    const { client, auths, signIn, server } = await world({ auth: false });
    const call = await client('shop');
    expect((await call('narrow')).error?.data).toMatchObject({ code: 'UPSTREAM_REFUSED' });
    expect(auths.view('shop')).toMatchObject({ state: 'offered' });
    expect(auths.waiting()).toEqual([]);
    await signIn('shop');
    expect((await call('narrow')).result).toBeDefined();
    expect(server.served.at(-1)?.authorization).toMatch(/^Bearer /);
  });

  it('registers anew where the server takes a metadata document (CIMD)', async () => {
    const url = 'https://bursar.example/oauth-client.json';
    const text = JSON.stringify({ client_id: url, client_name: 'Bursar', redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' });
    const { signIn, authorization, auths } = await world({ clientMetadataUrl: url, document: { url, text } });
    expect((await signIn('shop')).status).toBe(200);
    expect(authorization.tokenParams[0]?.get('client_id')).toBe(url);
    expect(auths.view('shop')).toMatchObject({ state: 'signed-in' });
  });

  it('takes a client that the owner registered for any other, or sends its secret elsewhere than to its issuer', async () => {
    const own = { client_id: 'mine', client_secret: 'canary-client-secret', redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native', grant_types: ['authorization_code', 'refresh_token'] };
    const { signIn, authorization, upstreams, auths, server } = await world({ registration: false, clients: [own], auth: false });
    const auth = { kind: 'oauth' as const, clientId: 'mine', clientSecret: 'canary-client-secret', issuer: authorization.issuer };
    await upstreams.put('shop', { kind: 'http', url: server.url, headers: {}, auth });
    expect((await signIn('shop')).status).toBe(200);
    expect(auths.view('shop')).toMatchObject({ state: 'signed-in' });
    await upstreams.put('shop', { kind: 'http', url: server.url, headers: {}, auth: { ...auth, issuer: 'https://other.example' } });
    await expect(auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED', message: expect.stringContaining('another issuer') });
  });

  it('asks again and again where the owner said no, or shows what the server wrote', async () => {
    const { auths, authorization } = await world();
    authorization.intercept = (request, response) => {
      const url = new URL(request.url ?? '', authorization.issuer);
      if (url.pathname !== '/auth') return false;
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ error: 'access_denied', error_description: '<b>call +1 555</b>', state: url.searchParams.get('state') ?? '', iss: authorization.issuer }));
      response.writeHead(302, { location: back.href }).end();
      return true;
    };
    const { text } = await browse(await auths.begin('shop'));
    expect(text).toContain('You are not signed in');
    const failed = auths.ended('shop', 5_000);
    await expect(failed).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED', message: expect.stringContaining('access_denied') });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('555') });
    expect(auths.view('shop')).toMatchObject({ state: 'needed' });
  });

  it('takes a code under another state, from another issuer, or without the issuer that was promised', async () => {
    const { auths, authorization } = await world();
    const url = new URL(await auths.begin('shop'));
    const callback = url.searchParams.get('redirect_uri') ?? '';
    const state = url.searchParams.get('state') ?? '';
    const answer = (params: Record<string, string>, init: RequestInit = {}) => fetch(`${callback}?${String(new URLSearchParams({ code: 'stolen', ...params }))}`, init);
    expect((await answer({ state: 'x'.repeat(state.length), iss: authorization.issuer })).status).toBe(400);
    expect((await answer({ iss: authorization.issuer })).status).toBe(400);
    expect((await answer({ state, iss: authorization.issuer }, { method: 'POST' })).status).toBe(400);
    expect(auths.view('shop')).toMatchObject({ state: 'signing-in' });
    expect((await answer({ state, iss: 'https://evil.example' })).status).toBe(400);
    await expect(auths.ended('shop', 5_000)).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED', message: expect.not.stringContaining('evil') });
    const again = new URL(await auths.begin('shop'));
    await fetch(`${again.searchParams.get('redirect_uri')}?code=stolen&state=${again.searchParams.get('state')}`);
    await expect(auths.ended('shop', 5_000)).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
    expect(authorization.tokenRequests).toEqual([]);
  });

  it('leaves the listener of a sign-in that was begun anew or given up', async () => {
    const { auths } = await world();
    const callbacks: string[] = [];
    for (let count = 0; count < 2; count++) callbacks.push(new URL(await auths.begin('shop')).searchParams.get('redirect_uri') ?? '');
    await auths.signOut('shop');
    for (const callback of callbacks) await expect(fetch(callback)).rejects.toThrow('fetch failed');
    expect(auths.view('shop')).toMatchObject({ state: 'needed' });
  });
});

describe('tokens', () => {
  it('are asked for once by each of fifty calls that were refused together, and the one that was replaced is used again', async () => {
    const { client, signIn, authorization, server, later } = await world();
    await signIn('shop');
    const calls = await Promise.all(Array.from({ length: 50 }, () => client('shop')));
    authorization.expireAccessTokens();
    for (let round = 1; round <= 3; round++) {
      authorization.expireAccessTokens();
      // A token that was just given would not be renewed at once.
      later(11_000);
      const answers = await Promise.all(calls.map((call) => call('narrow')));
      expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(50);
      expect(authorization.tokenRequests.filter((grant) => grant === 'refresh_token')).toHaveLength(round);
    }
    const used = authorization.tokenParams.map((params) => params.get('refresh_token')).filter((token) => token !== null);
    expect(new Set(used).size).toBe(3);
    expect(server.refused.length).toBeGreaterThan(0);
  });

  it('are sent until the server refuses them, although they say when they end', async () => {
    const { client, signIn, authorization, server, later } = await world({ accessTokenSeconds: 100 });
    await signIn('shop');
    const call = await client('shop');
    const before = server.refused.length;
    later(95_000);
    expect((await call('narrow')).result).toBeDefined();
    expect(authorization.tokenRequests.at(-1)).toBe('refresh_token');
    expect(server.refused).toHaveLength(before);
  });

  it('are lost at a restart, or with the answer of a renewal that came after the keys were locked', async () => {
    const { client, signIn, authorization, folder, setLocked, later, close, auths, server } = await world();
    await signIn('shop');
    const call = await client('shop');
    authorization.expireAccessTokens();
    later(11_000);
    let locked: Promise<void> | undefined;
    authorization.intercept = (request) => {
      if (request.url?.startsWith('/token') === true) locked = setLocked(true);
      return false;
    };
    expect((await call('narrow')).error?.data).toMatchObject({ code: 'WALLET_LOCKED' });
    await locked;
    authorization.intercept = undefined;
    expect(auths.view('shop')).toMatchObject({ state: 'locked' });
    expect((await call('narrow')).error?.data).toMatchObject({ code: 'WALLET_LOCKED', hint: expect.stringContaining('unlock') });
    await setLocked(false);
    expect((await call('narrow')).result).toBeDefined();
    await close();
    const again = await openAuthWorld({ folder });
    const next = await again.client('shop');
    expect((await next('narrow')).result).toBeDefined();
    authorization.expireAccessTokens();
    again.later(30_000);
    expect((await next('narrow')).result).toBeDefined();
    expect(server.served.length).toBeGreaterThan(3);
  });

  it('are kept although the authorization server has ended them', async () => {
    const { client, signIn, authorization, auths, later } = await world();
    await signIn('shop');
    const call = await client('shop');
    authorization.revokeEverything();
    later(11_000);
    expect((await call('narrow')).error?.data).toMatchObject({ code: 'UPSTREAM_AUTHORIZATION_NEEDED' });
    expect(auths.view('shop')).toMatchObject({ state: 'needed' });
    authorization.intercept = undefined;
    await signIn('shop');
    expect((await call('narrow')).result).toBeDefined();
  });

  it('of a narrow sign-in leave the owner in the dark about a call that needs more', async () => {
    const { client, signIn, auths, authorization } = await world();
    await signIn('shop');
    const call = await client('shop');
    expect((await call('wide')).error?.data).toMatchObject({ code: 'UPSTREAM_AUTHORIZATION_NEEDED' });
    expect(auths.view('shop')).toMatchObject({ state: 'needed', why: expect.stringContaining('more rights') });
    expect((await call('narrow')).result).toBeDefined();
    const url = new URL(await auths.begin('shop'));
    expect(url.searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['read', 'wide']));
    await browse(url.href);
    await auths.ended('shop', 5_000);
    expect((await call('wide')).result).toBeDefined();
    expect(authorization.tokenRequests).toEqual(['authorization_code', 'authorization_code']);
  });

  it('I6: stand in the database, a log or an error', async () => {
    const { client, signIn, authorization, later, written, server, auths } = await world();
    await signIn('shop');
    const call = await client('shop');
    authorization.expireAccessTokens();
    later(11_000);
    await call('narrow');
    // A provider that gives back what it was sent, as some do in their errors.
    authorization.expireAccessTokens();
    later(11_000);
    authorization.intercept = (request, response) => {
      if (request.url !== '/token') return false;
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => response.writeHead(500).end(`no: ${text}`));
      return true;
    };
    const failed = await call('narrow');
    expect(failed.error?.data).toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
    const secrets = [
      ...authorization.tokenParams.flatMap((params) => ['code', 'code_verifier', 'refresh_token', 'client_secret'].map((name) => params.get(name))),
      ...server.served.map(({ authorization: header }) => header?.slice('Bearer '.length)),
    ].filter((secret): secret is string => typeof secret === 'string');
    expect(secrets.length).toBeGreaterThan(5);
    const places = `${await written()}\n${JSON.stringify([failed, auths.view('shop')])}`;
    for (const secret of secrets) expect(places.includes(secret), 'a secret was written').toBe(false);
  });

  it('are sent to an address that somebody wrote into the database', async () => {
    const { signIn, folder, close } = await world();
    await signIn('shop');
    await close();
    const db = openDatabase(join(folder, 'bursar.db'));
    const elsewhere = await startProtectedServer({ issuer: () => 'http://127.0.0.1:1', scopeOf: async () => 'read', scopes: [] });
    onTestFinished(() => elsewhere.close());
    db.prepare('UPDATE upstreams SET transport = ?').run(JSON.stringify({ kind: 'http', url: elsewhere.url, headerNames: [], auth: { kind: 'oauth' } }));
    db.close();
    const again = await openAuthWorld({ folder });
    const session = await again.client('shop');
    expect((await session('narrow')).error?.data).toMatchObject({ code: 'UPSTREAM_AUTHORIZATION_NEEDED' });
    expect(elsewhere.served).toEqual([]);
  });

  it('stay after the owner signed out or removed the server', async () => {
    const { signIn, auths, client, upstreams, server, authorization } = await world();
    await signIn('shop');
    const call = await client('shop');
    await call('narrow');
    const token = server.served.at(-1)?.authorization?.slice('Bearer '.length) ?? '';
    expect(await authorization.scopeOf(token)).toBeDefined();
    await auths.signOut('shop');
    expect(await authorization.scopeOf(token)).toBeUndefined();
    expect((await call('narrow')).error?.data).toMatchObject({ code: 'UPSTREAM_AUTHORIZATION_NEEDED' });
    await signIn('shop');
    await upstreams.remove('shop');
    await upstreams.add('shop', { kind: 'http', url: server.url, headers: {}, auth: { kind: 'oauth' } });
    expect(auths.view('shop')).toMatchObject({ state: 'needed', issuer: '' });
  });
});
