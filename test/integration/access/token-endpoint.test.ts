import { expect, test } from 'vitest';
import { TOKEN_LIFETIME_MS } from '../../../src/main/access/access-tokens.ts';
import { newToken } from '../../../src/main/adapters/store/clients.ts';
import { SCOPES, USUAL_SCOPES } from '../../../src/shared/access/scopes.ts';
import { openLocalServer, type Answer } from './fixture.ts';

const LIST = { id: 1, method: 'tools/list' };
const PING = { id: 1, method: 'ping' };
const json = ({ body }: Answer) => JSON.parse(body) as Readonly<Record<string, unknown>>;
const toolsIn = ({ body }: Answer) => (JSON.parse(/^data: (.+)$/m.exec(body)?.[1] ?? body) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name).filter((name) => !name.startsWith('raw__'));
const grant = { grant_type: 'client_credentials' };

test('the documents that standard clients look for are missing, name another address, or may be read by a page', async () => {
  const { ask, origin, port } = await openLocalServer();
  for (const [path, resource] of [['', ''], ['/mcp', '/mcp'], ['/mcp/raw', '/mcp/raw'], ['/mcp/nobody-knows', '/mcp/nobody-knows']]) {
    const answer = await ask(`/.well-known/oauth-protected-resource${path}`);
    expect(json(answer)).toMatchObject({ resource: `${origin}${resource}`, authorization_servers: [origin], scopes_supported: SCOPES, bearer_methods_supported: ['header'] });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
  const asLocalhost = await ask('/.well-known/oauth-authorization-server', { headers: { host: `localhost:${port}` } });
  expect(json(asLocalhost)).toMatchObject({
    issuer: `http://localhost:${port}`,
    token_endpoint: `http://localhost:${port}/oauth/token`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    response_types_supported: [],
  });
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-protected-resource/other', '/.well-known/oauth-protected-resource/mcp/a/b', '/oauth', '/oauth/register']) expect([path, (await ask(path)).status]).toEqual([path, path === '/oauth' ? 403 : 404]);
  expect((await ask('/oauth/authorize')).status).toBe(400);
  expect((await ask('/.well-known/oauth-authorization-server', { method: 'POST' })).status).toBe(405);
});

test('a 401 does not lead to the token endpoint', async () => {
  const { ask, origin, post } = await openLocalServer();
  expect((await ask('/mcp/raw', { method: 'POST' })).headers['www-authenticate']).toBe(`Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp/raw"`);
  expect((await ask('/mcp', { method: 'POST' })).headers['www-authenticate']).toBe(`Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`);
  const wrong = await post('brs_wrong', PING);
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, `Bearer error="invalid_token", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`]);
  const quoted = await ask('/mcp/a"b', { method: 'POST' });
  expect(quoted.headers['www-authenticate']).toBe(`Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`);
});

test('a token comes without what RFC 6749 asks of the answer, in either way to give the secret', async () => {
  const { addOauth, askToken, form, post } = await openLocalServer();
  const { id, secret } = addOauth('agent', USUAL_SCOPES);
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  for (const answer of [await askToken(form(grant), { authorization: basic }), await askToken(form({ ...grant, client_id: id, client_secret: secret }))]) {
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(json(answer)).toEqual({ access_token: expect.stringMatching(/^brs_at_/) as string, token_type: 'Bearer', expires_in: 900, scope: 'payment_context:read x402:execute' });
    expect((await post(String(json(answer)['access_token']), PING)).status).toBe(200);
  }
});

test('I7: a client gets a scope by asking for it that its owner did not allow', async () => {
  const { addOauth, askToken, form, tokenOf, post, clients, access } = await openLocalServer();
  const client = addOauth('agent', USUAL_SCOPES);
  const given = json(await askToken(form({ ...grant, client_id: client.id, client_secret: client.secret, scope: SCOPES.join(' ') })));
  expect(given['scope']).toBe('payment_context:read x402:execute');
  expect(toolsIn(await post(String(given['access_token']), LIST))).toEqual(['payment_context_read', 'x402_execute']);
  await expect(tokenOf(client, { scope: 'email_payments:write' })).rejects.toThrow('400 invalid_scope');
  await expect(tokenOf(client, { scope: 'payment_context:read admin' })).rejects.toThrow('400 invalid_scope');
  const wide = await tokenOf(client);
  clients.setScopes('agent', SCOPES);
  access.scopesChanged('agent', SCOPES);
  expect(toolsIn(await post(wide, LIST))).toEqual(['payment_context_read', 'x402_execute']);
  clients.setScopes('agent', []);
  access.scopesChanged('agent', []);
  expect(toolsIn(await post(wide, LIST))).toEqual(['payment_context_read']);
});

test('a tool outside of the scopes is listed or can be called', async () => {
  const { addKey, addOauth, tokenOf, post } = await openLocalServer();
  const key = addKey('sender', ['payment_context:read', 'email_payments:write']);
  expect(toolsIn(await post(key, LIST))).toEqual(['payment_context_read', 'email_payments_write']);
  const call = async (token: string, name: string) => (await post(token, { id: 2, method: 'tools/call', params: { name, arguments: {} } })).body;
  expect(await call(key, 'email_payments_write')).toContain('"client":"sender"');
  const refusal = await call(key, 'contact_payments_write');
  expect(refusal.replace('contact_payments_write', 'X')).toBe((await call(key, 'no_such_tool')).replace('no_such_tool', 'X'));
  const narrow = await tokenOf(addOauth('agent', SCOPES), { scope: 'payment_context:read' });
  expect(toolsIn(await post(narrow, LIST))).toEqual(['payment_context_read']);
  expect(await call(narrow, 'email_payments_write')).toContain('There is no tool');
});

test('a token without the least scope connects, or is not told what it lacks', async () => {
  const { addOauth, tokenOf, post, origin } = await openLocalServer();
  const answer = await post(await tokenOf(addOauth('agent', USUAL_SCOPES), { scope: 'x402:execute' }), PING);
  expect(answer.status).toBe(403);
  expect(answer.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="payment_context:read", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`);
});

test('an expired token is taken', async () => {
  const { addOauth, tokenOf, post, clock } = await openLocalServer();
  const client = addOauth('agent', USUAL_SCOPES);
  const token = await tokenOf(client);
  clock.advance(TOKEN_LIFETIME_MS - 1);
  expect((await post(token, PING)).status).toBe(200);
  clock.advance(1);
  const late = await post(token, PING);
  expect([late.status, late.headers['www-authenticate']]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  expect((await post(await tokenOf(client), PING)).status).toBe(200);
});

test('a token for one server is taken at another, or one for another machine is given', async () => {
  const { addOauth, tokenOf, post, origin } = await openLocalServer();
  const client = addOauth('agent', USUAL_SCOPES);
  const one = await tokenOf(client, { resource: `${origin}/mcp/raw` });
  expect((await post(one, PING, { path: '/mcp/raw' })).status).toBe(200);
  for (const path of ['/mcp', '/mcp/rawer', '/mcp/other']) expect([path, (await post(one, PING, { path })).status]).toEqual([path, 401]);
  for (const resource of [origin, `${origin}/mcp`, `${origin}/mcp/`]) expect((await post(await tokenOf(client, { resource }), PING, { path: '/mcp/raw' })).status).toBe(200);
  for (const resource of ['https://elsewhere.example/mcp', 'http://127.0.0.1:1/mcp', `${origin}/other`, `${origin}/mcp#x`, 'nonsense']) await expect(tokenOf(client, { resource })).rejects.toThrow('400 invalid_target');
});

test('a client secret is a bearer token, or an API key is a client secret', async () => {
  const { addKey, addOauth, tokenOf, post, clients } = await openLocalServer();
  const { secret } = addOauth('agent', USUAL_SCOPES);
  const key = addKey('cursor', USUAL_SCOPES);
  expect((await post(secret, PING)).status).toBe(401);
  expect((await post(key, PING)).status).toBe(200);
  await expect(tokenOf({ id: clients.find('cursor')!.id, secret: key })).rejects.toThrow('401 invalid_client');
  await expect(tokenOf({ id: clients.find('agent')!.id, secret: key })).rejects.toThrow('401 invalid_client');
});

test('a wrong secret tells whether the client exists', async () => {
  const { addOauth, askToken, form } = await openLocalServer();
  const { id } = addOauth('agent', USUAL_SCOPES);
  const answers = await Promise.all([id, 'nobody'].map((client) => askToken(form({ ...grant, client_id: client, client_secret: 'wrong' }))));
  expect(answers[0]).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.stringContaining('Basic') as string } });
  const [known, unknown] = answers.map(({ status, headers: { date: _date, ...headers }, body }) => ({ status, headers, body }));
  expect(known).toEqual(unknown);
});

test('secrets can be guessed as fast as one likes, or guessing at one client shuts out another', async () => {
  const { addOauth, askToken, form, tokenOf, clock, clients } = await openLocalServer();
  const [victim, other] = [addOauth('victim', USUAL_SCOPES), addOauth('other', USUAL_SCOPES)];
  const guess = (client: string) => askToken(form({ ...grant, client_id: client, client_secret: 'guess' }));
  const statuses = [];
  for (let attempt = 0; attempt < 14; attempt++) statuses.push((await guess(victim.id)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429, 429, 429]);
  const refused = await guess(victim.id);
  expect([refused.headers['retry-after'], json(refused)['error']]).toEqual(['6', 'temporarily_unavailable']);
  await expect(tokenOf(victim)).rejects.toThrow('429');
  await tokenOf(other);
  clock.advance(6_000);
  await tokenOf(victim);
  for (let attempt = 0; attempt < 20; attempt++) await guess(`unknown-${attempt}`);
  expect((await guess('unknown')).status).toBe(429);
  await tokenOf(other);
  expect(clients.list()).toHaveLength(2);
});

test('a page of another origin, or one behind a name that was bound anew, gets a token', async () => {
  const { addOauth, askToken, ask, form, port } = await openLocalServer();
  const { id, secret } = addOauth('agent', USUAL_SCOPES);
  const body = form({ ...grant, client_id: id, client_secret: secret });
  for (const headers of [{ origin: 'https://attacker.example' }, { origin: 'null' }, { host: 'attacker.example' }, { host: `attacker.example:${port}` }, { host: '127.0.0.1:1' }]) {
    const answer = await askToken(body, headers);
    expect([headers, answer.status, answer.headers['access-control-allow-origin']]).toEqual([headers, 403, undefined]);
    expect(answer.body).not.toContain('access_token');
  }
  const preflight = await ask('/oauth/token', { method: 'OPTIONS', headers: { origin: `http://127.0.0.1:${port}`, 'access-control-request-method': 'POST' } });
  expect([preflight.status, Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))]).toEqual([405, []]);
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp']) expect((await ask(path, { headers: { origin: 'https://attacker.example' } })).status).toBe(403);
});

test('a huge body, an address with the secret, or a parameter given twice gets a token', async () => {
  const { addOauth, askToken, ask, form } = await openLocalServer();
  const { id, secret } = addOauth('agent', USUAL_SCOPES);
  const right = form({ ...grant, client_id: id, client_secret: secret });
  expect((await askToken(`${right}&pad=${'x'.repeat(10_000)}`)).status).toBe(413);
  const chunked = await ask('/oauth/token', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' }, body: Buffer.from(`${right}&pad=${'x'.repeat(100_000)}`) });
  expect(chunked.status).toBe(413);
  expect((await askToken(`${right}&scope=payment_context:read&scope=x402:execute`)).status).toBe(400);
  expect((await ask(`/oauth/token?${right}`)).status).toBe(405);
  expect((await ask(`/oauth/token?${right}`, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form(grant) })).status).toBe(400);
  expect((await askToken(right)).status).toBe(200);
});

test('a token in the address is taken, or written to the log', async () => {
  const { addKey, ask, post, log } = await openLocalServer();
  const key = addKey('cursor', USUAL_SCOPES);
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const alone = await ask(`/mcp?access_token=${key}`, { method: 'POST', headers, body: '{}' });
  expect([alone.status, alone.headers['www-authenticate']]).toEqual([400, expect.stringContaining('error="invalid_request"')]);
  expect((await post(key, PING, { path: `/mcp?access_token=${key}` })).status).toBe(400);
  expect(JSON.stringify(log.lines)).not.toContain(key);
});

test('a session is used by another client, or by a token that may do less than the one that opened it', async () => {
  const { addKey, addOauth, tokenOf, post } = await openLocalServer();
  const client = addOauth('agent', SCOPES);
  const [wide, again, narrow, other] = [await tokenOf(client), await tokenOf(client), await tokenOf(client, { scope: 'payment_context:read' }), addKey('other', SCOPES)];
  const opened = await post(wide, { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } } });
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  expect((await post(again, PING, { headers })).status).toBe(200);
  expect((await post(narrow, PING, { headers })).status).toBe(404);
  expect((await post(other, PING, { headers })).status).toBe(404);
});

test('a revoked client goes on: its token, its session, its open call, or what it has waiting', async () => {
  const { addOauth, addKey, tokenOf, post, ask, clients, access, bridge, calledOff } = await openLocalServer();
  const client = addOauth('agent', USUAL_SCOPES);
  const token = await tokenOf(client);
  const bystander = addKey('other', USUAL_SCOPES);
  const opened = await post(token, { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } } }, { path: '/mcp/raw' });
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const hanging = post(token, { id: 5, method: 'tools/call', params: { name: 'wait' } }, { path: '/mcp/raw', headers }).then(({ body }) => body);
  const stream = ask('/mcp/raw', { headers: { ...headers, authorization: `Bearer ${token}`, accept: 'text/event-stream' } }).then(() => 'ended', (error: NodeJS.ErrnoException) => error.code);
  const theirs = post(bystander, { id: 5, method: 'tools/call', params: { name: 'wait' } }, { path: '/mcp/raw' }).then(({ body }) => body);
  await expect.poll(() => bridge.sessions().map(({ client: name, openRequests }) => `${name} ${openRequests}`).toSorted()).toEqual(['agent 1', 'other 1']);

  clients.revoke('agent');
  access.end('agent', { claimed: true });
  expect(await hanging).toContain('The owner ended the access of the client');
  expect(await stream).toBe('ECONNRESET');
  expect(calledOff).toEqual(['APPROVAL_CANCELLED']);
  expect((await post(token, PING, { path: '/mcp/raw', headers })).status).toBe(401);
  await expect(tokenOf(client)).rejects.toThrow('401 invalid_client');
  await expect.poll(() => bridge.sessions().map(({ client: name, openRequests }) => `${name} ${openRequests}`)).toEqual(['other 1']);
  expect((await post(bystander, PING, { path: '/mcp/raw' })).status).toBe(200);
  access.end('other');
  expect(await theirs).toContain('The owner ended the access of the client');
});

test('a token that was narrowed has more over the socket than over HTTP', async () => {
  const { addOauth, tokenOf, overSocket } = await openLocalServer();
  const client = addOauth('agent', SCOPES);
  const narrow = await overSocket(await tokenOf(client, { scope: 'payment_context:read' }));
  const own = async (ask: typeof narrow) => (await ask('tools/list')).result?.tools?.map(({ name }) => name).filter((name) => !name.startsWith('raw__'));
  expect(await own(narrow)).toEqual(['payment_context_read']);
  expect((await narrow('tools/call', { name: 'x402_execute', arguments: {} })).error?.message).toContain('There is no tool');
  expect(await own(await overSocket(await tokenOf(client)))).toHaveLength(SCOPES.length);
});

test('a token for one server opens another, or all of them, over the socket', async () => {
  const { addOauth, tokenOf, overSocket, origin } = await openLocalServer();
  const client = addOauth('agent', SCOPES);
  const [one, other] = [await tokenOf(client, { resource: `${origin}/mcp/raw` }), await tokenOf(client, { resource: `${origin}/mcp/other` })];
  expect((await (await overSocket(one, { upstream: 'raw' }))('ping')).error).toBeUndefined();
  for (const [token, upstream] of [[one, ''], [other, 'raw']] as const) expect((await (await overSocket(token, { upstream }))('ping')).error?.message).toContain('UNAUTHORIZED');
});

test('a token that ends leaves its connection over the socket open to go on', async () => {
  const { addOauth, tokenOf, overSocket, clock, bridge } = await openLocalServer();
  const ask = await overSocket(await tokenOf(addOauth('agent', SCOPES)), { upstream: 'raw' });
  expect((await ask('ping')).error).toBeUndefined();
  clock.advance(TOKEN_LIFETIME_MS);
  for (let time = 0; time < 2; time++) expect((await ask('ping')).error?.message).toMatch(/has ended.*UNAUTHORIZED/s);
  await expect.poll(() => bridge.sessions()).toEqual([]);
});

test('a key that was replaced goes on as a claimed name, or a connection whose key ended reads that Bursar went away', async () => {
  const { addKey, overSocket, clients, access, bridge } = await openLocalServer();
  const token = addKey('cursor', USUAL_SCOPES);
  const ask = await overSocket(token, { upstream: 'raw', claims: 'cursor' });
  expect((await ask('ping')).error).toBeUndefined();
  clients.setSecret('cursor', newToken());
  access.end('cursor');
  expect((await ask('ping')).error?.message).toContain('The owner ended the access of the client "cursor"');
  await expect.poll(() => bridge.sessions()).toEqual([]);
  expect((await (await overSocket(token, { upstream: 'raw', claims: 'cursor' }))('ping')).error?.message).toMatch(/not valid here, or not any more.*UNAUTHORIZED/s);
});
