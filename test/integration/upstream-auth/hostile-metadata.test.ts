import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressRule, requireBrowserAddress } from '../../../src/main/upstream-auth/addresses.ts';
import { createAuthFetch } from '../../../src/main/upstream-auth/auth-fetch.ts';
import { openAuthWorld, type AuthWorldOptions } from '../../support/oauth/auth-world.ts';
import { startProtectedServer } from '../../support/oauth/protected-server.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const json = (value: unknown): Answer => (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** An authorization server whose every answer is the test's; what it does not say is 404. */
async function rogue(answers: (issuer: string) => Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    asked.push(path);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString())).on('end', () => (answers(issuer)[path] ?? ((_request, other) => void other.writeHead(404).end()))(request, response, body));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return { issuer, asked };
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const metadataOf = (issuer: string, more: Record<string, unknown> = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  ...more,
});

async function shop(issuer: string, options: AuthWorldOptions = {}) {
  const server = await startProtectedServer({ issuer: () => issuer, scopeOf: async (token) => (token === 'good' ? 'read' : undefined), scopes: ['read'] });
  onTestFinished(() => server.close());
  const world = await openAuthWorld(options);
  await world.upstreams.add('shop', { kind: 'http', url: server.url, headers: {}, auth: { kind: 'oauth' } });
  return { ...world, server };
}

describe('a server that leads its sign-in astray', () => {
  it.each(['http://10.0.0.7', 'https://192.168.1.1', 'https://[fd00::1]', 'https://169.254.169.254/latest', 'https://[::ffff:10.0.0.1]'])('reaches into the private network: %s', async (address) => {
    const { auths } = await shop(address);
    await expect(auths.begin('shop')).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN', hint: expect.stringContaining('openHosts') });
  });

  it('reaches there by a name, by a redirect, or by an endpoint of good metadata', async () => {
    const named = await shop('https://auth.example', { resolve: async () => [{ address: '10.1.2.3', family: 4 }] });
    await expect(named.auths.begin('shop')).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    const redirecting = await rogue(() => ({ [WELL_KNOWN]: (_request, response) => void response.writeHead(302, { location: 'http://10.0.0.7/' }).end() }));
    const redirected = await shop(redirecting.issuer);
    await expect(redirected.auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
    const endpoint = await rogue((issuer) => ({ [WELL_KNOWN]: json(metadataOf(issuer, { registration_endpoint: 'http://10.0.0.7/register' })) }));
    const led = await shop(endpoint.issuer);
    await expect(led.auths.begin('shop')).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('reaches this machine from outside of it', async () => {
    const rule = addressRule(new URL('https://mcp.example/mcp'), () => false);
    for (const address of ['http://127.0.0.1:8080/x', 'http://localhost/x', 'https://[::1]/x', 'http://127.8.8.8/']) expect(() => rule.require(new URL(address)), address).toThrow(expect.objectContaining({ code: 'ADDRESS_FORBIDDEN' }));
    const opened = addressRule(new URL('https://mcp.example/mcp'), ({ host }) => host === '10.0.0.7');
    expect(() => opened.require(new URL('https://10.0.0.7/'))).not.toThrow();
    expect(() => rule.require(new URL('http://auth.example/token'))).toThrow(expect.objectContaining({ code: 'UPSTREAM_SIGN_IN_FAILED' }));
    const asked = createAuthFetch({ rule, resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    await expect(asked('https://auth.example/')).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it.each(['javascript:alert(1)//', 'file:///etc/passwd', 'ms-calculator:x', 'data:text/html,x', 'http://evil.example/authorize', 'https://user:word@evil.example/', 'http://10.0.0.1/reboot'])('has the browser open %s', async (address) => {
    const { issuer } = await rogue((own) => ({ [WELL_KNOWN]: json(metadataOf(own, { authorization_endpoint: address })), '/register': json({ client_id: 'x', redirect_uris: ['http://127.0.0.1/callback'] }) }));
    const { auths } = await shop(issuer);
    await expect(auths.begin('shop')).rejects.toMatchObject({ code: expect.stringMatching(/^(UPSTREAM_SIGN_IN_FAILED|ADDRESS_FORBIDDEN)$/) });
    expect(auths.view('shop')).toMatchObject({ state: 'needed' });
    if (new URL(address).hostname !== '10.0.0.1') expect(() => requireBrowserAddress(new URL(address))).toThrow(expect.objectContaining({ code: 'UPSTREAM_SIGN_IN_FAILED' }));
  });

  it('fills the memory, or keeps the owner waiting for ever', async () => {
    const huge = await rogue((issuer) => ({ [WELL_KNOWN]: json(metadataOf(issuer, { more: 'x'.repeat(400_000) })) }));
    const full = await shop(huge.issuer);
    await expect(full.auths.begin('shop')).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    const silent = await rogue(() => ({ [WELL_KNOWN]: () => undefined }));
    const waiting = await shop(silent.issuer, { timeoutMs: 200 });
    await expect(waiting.auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });

  it('names itself otherwise, describes another server, or has no protection of its codes', async () => {
    const renamed = await rogue(() => ({ [WELL_KNOWN]: json(metadataOf('https://bank.example')) }));
    await expect((await shop(renamed.issuer)).auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED', message: expect.not.stringContaining('bank') });
    const plain = await rogue((issuer) => ({ [WELL_KNOWN]: json(metadataOf(issuer, { code_challenge_methods_supported: ['plain'] })) }));
    await expect((await shop(plain.issuer)).auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
    const good = await rogue((issuer) => ({ [WELL_KNOWN]: json(metadataOf(issuer)) }));
    const other = await shop(good.issuer);
    other.server.metadata = { ...other.server.metadata, resource: 'https://bank.example/mcp' };
    await expect(other.auths.begin('shop')).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED', message: expect.stringContaining('another server') });
    expect(good.asked).toEqual([]);
  });
});

describe('a token endpoint', () => {
  /** Gives one token that is over soon, then does what the test wants. */
  const twoSteps = (second: Answer) => {
    let count = 0;
    return rogue((issuer) => ({
      [WELL_KNOWN]: json(metadataOf(issuer)),
      '/register': json({ client_id: 'x', redirect_uris: ['http://127.0.0.1/callback'] }),
      '/authorize': (request, response) => {
        const url = new URL(request.url ?? '', issuer);
        response.writeHead(302, { location: `${url.searchParams.get('redirect_uri')}?code=c&state=${url.searchParams.get('state')}` }).end();
      },
      '/token': (...args) => (count++ === 0 ? json({ access_token: 'good', token_type: 'bearer', expires_in: 100, refresh_token: 'r1' }) : second)(...args),
    }));
  };

  it('that hangs holds back a call whose token still does, or every later call', async () => {
    const { issuer } = await twoSteps(() => undefined);
    const { signIn, client, later } = await shop(issuer, { timeoutMs: 300 });
    await signIn('shop');
    const call = await client('shop');
    later(95_000);
    expect((await call('narrow')).result).toBeDefined();
    later(10_000);
    expect((await call('narrow')).error?.data).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });

  it('that hangs keeps a session, or Bursar, from ending', async () => {
    const { issuer } = await twoSteps(() => undefined);
    const { signIn, client, later, close } = await shop(issuer);
    await signIn('shop');
    await (await client('shop'))('narrow');
    later(200_000);
    const begun = performance.now();
    await close();
    // A renewal that is under way has three seconds to bring its token in.
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it('gives tokens of a kind that a header does not prove, or that break the header', async () => {
    for (const answer of [{ access_token: 'good', token_type: 'DPoP' }, { access_token: 'good\r\nx-evil: 1', token_type: 'bearer' }, { access_token: '', token_type: 'bearer' }]) {
      const { issuer } = await rogue((own) => ({
        [WELL_KNOWN]: json(metadataOf(own)),
        '/register': json({ client_id: 'x', redirect_uris: ['http://127.0.0.1/callback'] }),
        '/token': json(answer),
      }));
      const { auths } = await shop(issuer);
      const url = new URL(await auths.begin('shop'));
      await fetch(`${url.searchParams.get('redirect_uri')}?code=c&state=${url.searchParams.get('state')}`);
      await expect(auths.ended('shop', 5_000)).rejects.toMatchObject({ code: 'UPSTREAM_SIGN_IN_FAILED' });
    }
  });

  it('that keeps the refresh token as it was ends the sign-in', async () => {
    const { issuer } = await twoSteps(json({ access_token: 'good', token_type: 'bearer', expires_in: 100 }));
    const { signIn, client, later, auths } = await shop(issuer);
    await signIn('shop');
    const call = await client('shop');
    for (let round = 0; round < 3; round++) {
      later(95_000);
      expect((await call('narrow')).result).toBeDefined();
    }
    expect(auths.view('shop')).toMatchObject({ state: 'signed-in', scope: 'read' });
  });
});
