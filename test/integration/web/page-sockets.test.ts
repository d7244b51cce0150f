import { WebSocket } from 'ws';
import { afterEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { closeCode, nextFrame, openFixture, openSocket, type Fixture, type FixtureOptions } from './web-fixture.ts';

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

/** A page's connection with everything as a browser sends it; `wrong` replaces single headers. */
async function connect(fixture: Fixture, path = '/ws/dashboard', wrong: Record<string, string> = {}): Promise<WebSocket | number> {
  const { cookie, protocols } = await fixture.signInPage();
  return openSocket(fixture.port, path, { host: `localhost:${fixture.port}`, origin: fixture.origin, cookie, ...wrong }, protocols);
}
async function connected(fixture: Fixture, path?: string): Promise<WebSocket> {
  const socket = await connect(fixture, path);
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
}
function ask(socket: WebSocket, route: string, input: unknown = {}, id = 1): Promise<unknown> {
  const reply = nextFrame(socket);
  socket.send(JSON.stringify({ id, route, input }));
  return reply;
}

describe('upgrade', () => {
  test.each<[string, Record<string, string>, number]>([
    ['a foreign Host', { host: 'evil.example' }, 403],
    ['the Host by address', { host: '127.0.0.1:PORT' }, 403],
    ['a foreign Origin', { origin: 'http://evil.example' }, 403],
    ['an Origin of another port', { origin: 'http://localhost:1' }, 403],
    ['an Origin by address', { origin: 'http://127.0.0.1:PORT' }, 403],
    ['an opaque Origin', { origin: 'null' }, 403],
    ['an https Origin', { origin: 'https://localhost:PORT' }, 403],
    ['no cookie', { cookie: '' }, 401],
    ['a made-up cookie', { cookie: 'bursar-PORT=AAAA' }, 401],
  ])('%s is refused', async (_what, headers, status) => {
    const fixture = await start();
    const wrong = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(fixture.port))]));
    for (const path of ['/ws/dashboard', '/ws/approval']) expect(await connect(fixture, path, wrong)).toBe(status);
  });

  test('no Origin at all is refused', async () => {
    const fixture = await start();
    const { cookie, protocols } = await fixture.signInPage();
    expect(await openSocket(fixture.port, '/ws/dashboard', { host: `localhost:${fixture.port}`, cookie }, protocols)).toBe(403);
  });

  test('a cookie that another port of localhost was sent opens no connection without the key that the page holds (I7)', async () => {
    const fixture = await start();
    const [own, other] = [await fixture.signInPage(), await fixture.signInPage()];
    const headers = { host: `localhost:${fixture.port}`, origin: fixture.origin, cookie: own.cookie };
    for (const path of ['/ws/dashboard', '/ws/approval']) {
      expect(await openSocket(fixture.port, path, headers)).toBe(401);
      expect(await openSocket(fixture.port, path, headers, ['bursar', 'key.'])).toBe(401);
      expect(await openSocket(fixture.port, path, headers, ['bursar', `key.${own.cookie.split('=')[1]}`])).toBe(401);
      // The key of one session is worth nothing with the cookie of another.
      expect(await openSocket(fixture.port, path, headers, other.protocols)).toBe(401);
      expect(await openSocket(fixture.port, path, { ...headers, cookie: '' }, own.protocols)).toBe(401);
    }
  });

  test('a reload or a second tab of the same browser is refused', async () => {
    const fixture = await start();
    const { cookie, protocols } = await fixture.signInPage();
    const headers = { host: `localhost:${fixture.port}`, origin: fixture.origin, cookie };
    for (let tab = 0; tab < 3; tab++) expect(await openSocket(fixture.port, '/ws/dashboard', headers, protocols)).toMatchObject({ protocol: 'bursar' });
  });

  test.each(['/ws', '/ws/', '/ws/cli', '/ws/approval/', '/ws/dashboard?surface=approval', '/mcp'])('%s is no socket', async (path) => {
    expect(await connect(await start(), path)).toBe(404);
  });

  test('connections beyond the cap are refused and those that stand live on', async () => {
    const fixture = await start({ limits: { maxConnections: 1 }, handlers: { 'approvals.waiting': () => ({ waiting: [] }) } });
    const first = await connected(fixture);
    expect(await connect(fixture)).toBe(503);
    expect(await ask(first, 'approvals.waiting')).toMatchObject({ reply: { ok: true } });
  });
});

describe('requests', () => {
  test('each connection is its own caller, and its path alone decides the surface', async () => {
    const callers: Caller[] = [];
    const fixture = await start({
      handlers: {
        'approvals.waiting': (_input, caller) => {
          callers.push(caller);
          return { waiting: [] };
        },
      },
    });
    for (const path of ['/ws/dashboard', '/ws/dashboard', '/ws/approval']) await ask(await connected(fixture, path), 'approvals.waiting', { surface: 'approval' });
    expect(callers.map(({ surface, host }) => [surface, host])).toEqual([
      ['dashboard', 'headless'],
      ['dashboard', 'headless'],
      ['approval', 'headless'],
    ]);
    expect(new Set(callers.map(({ connection }) => connection)).size).toBe(3);
  });

  test('a decision that the dashboard page forges never reaches the approvals', async () => {
    const decided: unknown[] = [];
    const fixture = await start({ handlers: { 'approvals.decide': (input) => (decided.push(input), {}) } });
    const input = { paymentId: 'p', termsDigest: 'd', nonce: 'n', decision: 'approve' };
    expect(await ask(await connected(fixture, '/ws/dashboard'), 'approvals.decide', input)).toMatchObject({ reply: { ok: false, error: { code: 'FORBIDDEN' } } });
    expect(decided).toEqual([]);
    expect(await ask(await connected(fixture, '/ws/approval'), 'approvals.decide', input)).toMatchObject({ reply: { ok: true } });
    expect(decided).toEqual([input]);
  });

  test('an owner session opened on one connection serves no other one and ends with its connection', async () => {
    const fixture = await start({
      realMoney: true,
      handlers: {
        'owner.unlock': (_input, { connection }) => ({ passphraseSet: true, sessionNeeded: true, sessionUntil: fixture.sessions.open(connection), locked: false }),
        'upstreams.remove': () => ({}),
      },
    });
    const [one, other] = [await connected(fixture), await connected(fixture)];
    const changed = nextFrame(other);
    one.send(JSON.stringify({ id: 1, route: 'owner.unlock', input: { passphrase: 'x' } }));
    await nextFrame(one);
    expect(await changed).toEqual({ event: { topic: 'owner' } });
    expect(await ask(other, 'upstreams.remove', { name: 'demo' })).toMatchObject({ reply: { ok: false, error: { code: 'OWNER_REQUIRED' } } });
    const ended = nextFrame(other);
    one.close();
    expect(await ended).toEqual({ event: { topic: 'owner' } });
  });

  test('answers find their questions although they come in another order', async () => {
    const turns: ((value: { waiting: [] }) => void)[] = [];
    const fixture = await start({ handlers: { 'approvals.waiting': () => new Promise((resolve) => turns.push(resolve)), 'upstreams.list': () => ({ upstreams: [] }) } });
    const socket = await connected(fixture);
    socket.send(JSON.stringify({ id: 7, route: 'approvals.waiting', input: {} }));
    expect(await ask(socket, 'upstreams.list', {}, 8)).toEqual({ id: 8, reply: { ok: true, value: { upstreams: [] } } });
    const late = nextFrame(socket);
    turns[0]?.({ waiting: [] });
    expect(await late).toEqual({ id: 7, reply: { ok: true, value: { waiting: [] } } });
  });

  test('events reach every page', async () => {
    const fixture = await start();
    const sockets = [await connected(fixture, '/ws/dashboard'), await connected(fixture, '/ws/approval')];
    const heard = sockets.map(nextFrame);
    fixture.events.publish('approvals');
    expect(await Promise.all(heard)).toEqual([{ event: { topic: 'approvals' } }, { event: { topic: 'approvals' } }]);
  });
});

describe('bad frames', () => {
  test.each<[string, string | Buffer]>([
    ['no JSON', '{'],
    ['no object', '1'],
    ['no id', '{"route":"app.status","input":{}}'],
    ['a negative id', '{"id":-1,"route":"app.status","input":{}}'],
    ['a route of 65 characters', JSON.stringify({ id: 1, route: 'x'.repeat(65), input: {} })],
    ['a binary frame', Buffer.from('{"id":1,"route":"app.status","input":{}}')],
  ])('%s ends the connection with 1007', async (_what, frame) => {
    const socket = await connected(await start());
    socket.send(frame);
    expect(await closeCode(socket)).toBe(1007);
  });

  test('a frame above the limit ends the connection before it is read, and the server serves on', async () => {
    const fixture = await start({ limits: { maxFrameBytes: 1000 }, handlers: { 'upstreams.list': () => ({ upstreams: [] }) } });
    const socket = await connected(fixture);
    socket.send(JSON.stringify({ id: 1, route: 'upstreams.list', input: 'x'.repeat(1000) }));
    expect(await closeCode(socket)).toBe(1009);
    expect(await ask(await connected(fixture), 'upstreams.list')).toMatchObject({ reply: { ok: true } });
  });

  test('more requests than the cap end the connection', async () => {
    const fixture = await start({ limits: { burst: 3, perSecond: 0 }, handlers: { 'upstreams.list': () => ({ upstreams: [] }) } });
    const socket = await connected(fixture);
    for (let id = 0; id < 3; id++) expect(await ask(socket, 'upstreams.list', {}, id)).toMatchObject({ id });
    socket.send(JSON.stringify({ id: 3, route: 'upstreams.list', input: {} }));
    expect(await closeCode(socket)).toBe(1008);
  });

  test('a page that answers no ping is let go', async () => {
    const fixture = await start({ limits: { pingEveryMs: 20 } });
    const { cookie, protocols } = await fixture.signInPage();
    const headers = { host: `localhost:${fixture.port}`, origin: fixture.origin, cookie };
    const deaf = new WebSocket(`ws://127.0.0.1:${fixture.port}/ws/dashboard`, [...protocols], { headers, autoPong: false });
    expect(await closeCode(deaf)).toBe(1006);
  });
});

test('closing the server ends its pages at once', async () => {
  const fixture = await start();
  const socket = await connected(fixture);
  const closed = closeCode(socket);
  await fixture.web.close();
  expect([1001, 1006]).toContain(await closed);
});
