import { afterEach, describe, expect, test } from 'vitest';
import { openFixture, type Fixture, type FixtureOptions } from './web-fixture.ts';

let open: Fixture[] = [];
async function start(options?: FixtureOptions): Promise<Fixture> {
  const fixture = await openFixture(options);
  open.push(fixture);
  return fixture;
}
afterEach(async () => {
  await Promise.all(open.map((fixture) => fixture.close()));
  open = [];
});

const pathOf = (address: string): string => new URL(address).pathname + new URL(address).search;

describe('signing in', () => {
  test('the printed address signs one browser in and leads to the dashboard, with a cookie that scripts and other sites cannot use', async () => {
    const { web, get, origin, port } = await start();
    const address = web.issueAddress();
    expect(address.startsWith(`${origin}/open?token=`)).toBe(true);
    const answer = await get(pathOf(address));
    expect(answer.status).toBe(303);
    // The fragment never goes over the wire again, so no other port of localhost is sent it.
    expect(answer.headers.location).toMatch(/^\/#key=[\w-]{43}$/);
    const [cookie = '', ...attributes] = answer.headers['set-cookie']?.[0]?.split('; ') ?? [];
    expect(cookie).toMatch(new RegExp(`^bursar-${port}=[\\w-]{43}$`));
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict']);
    expect((await get('/', { cookie })).body).toBe('<h1>dashboard</h1>');
    expect((await get('/approve', { cookie })).body).toBe('<h1>approval</h1>');
    expect(await get('/assets/main.js', { cookie })).toMatchObject({ status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' } });
  });

  test('an address that was used opens nothing and says how to get a new one', async () => {
    const { web, get } = await start();
    const path = pathOf(web.issueAddress());
    await get(path);
    const again = await get(path);
    expect(again.status).toBe(403);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(again.body).toContain('bursar -- dashboard');
  });

  test('of two visitors at once only one gets in', async () => {
    const { web, get } = await start();
    const path = pathOf(web.issueAddress());
    const answers = await Promise.all([get(path), get(path)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403]);
  });

  test('a prefetch by the browser and a HEAD request do not use the address up', async () => {
    const { web, get } = await start();
    const path = pathOf(web.issueAddress());
    expect((await get(path, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(503);
    expect((await get(path, {}, 'HEAD')).status).toBe(405);
    expect((await get(path)).status).toBe(303);
  });

  test.each(['/open', '/open?token=', '/open?token=guess', '/open?token[]=x'])('%s gives no session', async (path) => {
    const { web, get } = await start();
    web.issueAddress();
    const answer = await get(path);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });

  test('without a session, or with a made-up one, neither pages nor scripts are served', async () => {
    const { get, port } = await start();
    for (const cookie of ['', `bursar-${port}=`, `bursar-${port}=${'A'.repeat(43)}`, 'other=1']) {
      for (const path of ['/', '/approve', '/assets/main.js']) expect([cookie, path, (await get(path, { cookie })).status]).toEqual([cookie, path, 401]);
    }
  });

  test('a session that was not used for a day has ended', async () => {
    const { get, signIn, clock } = await start();
    const cookie = await signIn();
    clock.advance(24 * 60 * 60_000);
    expect((await get('/', { cookie })).status).toBe(200);
    clock.advance(24 * 60 * 60_000 + 1);
    expect((await get('/', { cookie })).status).toBe(401);
  });
});

describe('what is served', () => {
  test.each([
    '/../secret.js',
    '/..%2fsecret.js',
    '/%2e%2e/secret.js',
    '/assets/../../secret.js',
    '/assets/..%5c..%5csecret.js',
    '//secret.js',
    '/notes.txt',
    '/dashboard.html',
    '/assets',
    '/assets/main.js/',
    '/__proto__',
    '*',
    'http://other.example/',
    'http://%/',
  ])('%s is not found', async (path) => {
    const { get, signIn } = await start();
    const cookie = await signIn();
    const answer = await get(path, { cookie });
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('outside');
  });

  test('every answer carries the policy, whoever asks for whatever', async () => {
    const { get, signIn, port } = await start();
    const cookie = await signIn();
    const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self' ws://localhost:${port}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    const requests: [string, Record<string, string>, string?][] = [
      ['/', { cookie }],
      ['/approve', { cookie }],
      ['/assets/main.js', { cookie }],
      ['/', {}],
      ['/nothing', { cookie }],
      ['/open?token=x', {}],
      ['/', { cookie }, 'POST'],
      ['/', { host: 'evil.example' }],
    ];
    for (const [path, headers, method] of requests) {
      expect((await get(path, headers, method)).headers).toMatchObject({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    }
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('%s on a page is refused', async (method) => {
    const { get, signIn } = await start();
    expect((await get('/', { cookie: await signIn() }, method)).status).toBe(405);
  });
});

describe('Host header', () => {
  test.each(['evil.example', 'localhost', 'localhost:1', 'LOCALHOST.evil.example', '127.0.0.1', '[::1]:80', ''])('a request for "%s" gets 403, on pages and on MCP (DNS rebinding)', async (host) => {
    const { get, signIn } = await start({ mcpHandler: async (_request, response) => (response.end('reached'), true) });
    const cookie = await signIn();
    expect((await get('/', { cookie, host })).status).toBe(403);
    const mcp = await get('/mcp/demo', { host });
    expect([mcp.status, mcp.body]).toEqual([403, '']);
  });

  test('pages are served under localhost alone, MCP under every name of this machine', async () => {
    const { get, signIn, port } = await start({ mcpHandler: async (_request, response) => (response.end('reached'), true) });
    const cookie = await signIn();
    const host = `127.0.0.1:${port}`;
    expect((await get('/', { cookie, host })).status).toBe(403);
    expect((await get('/mcp', { host })).body).toBe('reached');
    expect((await get('/mcp/demo')).body).toBe('reached');
    // The server listens there too, and the token endpoint answers under this name.
    expect((await get('/mcp', { host: `[::1]:${port}` })).body).toBe('reached');
    expect((await get('/', { cookie, host: `[::1]:${port}` })).status).toBe(403);
  });
});

describe('MCP paths', () => {
  test('a path that the handler does not know is 404, and no page path reaches the handler', async () => {
    const seen: string[] = [];
    const { get, signIn } = await start({ mcpHandler: async (request) => (seen.push(request.url ?? ''), false) });
    const cookie = await signIn();
    expect((await get('/mcp/unknown')).status).toBe(404);
    expect((await get('/mcpx', { cookie })).status).toBe(404);
    expect(seen).toEqual(['/mcp/unknown']);
  });

  test('a handler that throws is answered 500 without its words, and the server lives on', async () => {
    const { get, log } = await start({ mcpHandler: () => Promise.reject(new Error('key 0xSECRET')) });
    const answer = await get('/mcp');
    expect([answer.status, answer.body]).toEqual([500, '']);
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a web request failed' }]);
    expect((await get('/mcp')).status).toBe(500);
  });
});

test('a taken port is an error, not a server that nobody reaches', async () => {
  const { port } = await start();
  const second = await start();
  await second.web.close();
  await expect(second.web.listen(port)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
});
