import { onTestFinished, describe, expect, it } from 'vitest';
import { startAuthorizationServer, type AuthorizationServer, type AuthorizationServerOptions } from '../../support/oauth/authorization-server.mjs';
import { openAuthWorld, type AuthWorld, type AuthWorldOptions } from '../../support/oauth/auth-world.ts';
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
});
