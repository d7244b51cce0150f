import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { createGate } from '../../../src/main/rpc/gate.ts';
import { createOwnerSessions } from '../../../src/main/rpc/owner-sessions.ts';
import { createRouter, type Handlers } from '../../../src/main/rpc/router.ts';
import { ROUTES, type RouteName } from '../../../src/shared/contract/contract.ts';
import type { Access } from '../../../src/shared/contract/route.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { handlersOf, manualClock, recordingLog } from '../../support/rpc/contract-fakes.ts';

const caller = (surface: Caller['surface'], host: Caller['host'] = 'headless'): Caller => ({ surface, host, connection: `${host}:${surface}` });

function setUp(given: Partial<Handlers>, realMoney = false) {
  const log = recordingLog();
  const clock = manualClock();
  const sessions = createOwnerSessions({ clock, changed: () => undefined });
  const router = createRouter({ handlers: handlersOf(given), gate: createGate({ realMoney, sessions }), log });
  return { router, sessions, clock, log };
}

const routesOf = (access: Access): RouteName[] => (Object.keys(ROUTES) as RouteName[]).filter((name) => ROUTES[name].access === access);
/** What the gate said; a call that it let through fails later, at the parser or the handler. */
async function gateCode(router: ReturnType<typeof setUp>['router'], route: RouteName, who: Caller): Promise<string> {
  const reply = await router.dispatch(route, {}, who);
  return !reply.ok && (reply.error.code === 'FORBIDDEN' || reply.error.code === 'OWNER_REQUIRED') ? reply.error.code : 'passed';
}

describe('gate', () => {
  test.each<[Access, Caller['surface'], string]>([
    ['read', 'dashboard', 'passed'],
    ['read', 'approval', 'passed'],
    ['read', 'cli', 'passed'],
    ['owner', 'dashboard', 'passed'],
    ['owner', 'approval', 'FORBIDDEN'],
    ['owner', 'cli', 'passed'],
    ['decide', 'dashboard', 'FORBIDDEN'],
    ['decide', 'approval', 'passed'],
    ['decide', 'cli', 'FORBIDDEN'],
  ])('with play money, every "%s" route called from %s: %s', async (access, surface, expected) => {
    const { router } = setUp({});
    expect(routesOf(access).length).toBeGreaterThan(0);
    for (const route of routesOf(access)) expect([route, await gateCode(router, route, caller(surface))]).toEqual([route, expected]);
  });

  test.each<[Access, Caller]>([
    ['owner', caller('dashboard')],
    ['owner', caller('cli')],
    ['owner', caller('cli', 'electron')],
    ['decide', caller('approval')],
  ])('with real money, "%s" from %o passes only while its own connection has an owner session', async (access, who) => {
    const { router, sessions } = setUp({}, true);
    for (const route of routesOf(access)) {
      expect([route, await gateCode(router, route, who)]).toEqual([route, 'OWNER_REQUIRED']);
      sessions.open('another connection');
      expect([route, await gateCode(router, route, who)]).toEqual([route, 'OWNER_REQUIRED']);
      sessions.open(who.connection);
      expect([route, await gateCode(router, route, who)]).toEqual([route, 'passed']);
      sessions.endAll();
      expect([route, await gateCode(router, route, who)]).toEqual([route, 'OWNER_REQUIRED']);
    }
  });

  test('with real money, an owner session ends by itself after 15 minutes', async () => {
    const { router, sessions, clock } = setUp({}, true);
    sessions.open(caller('dashboard').connection);
    clock.advance(15 * 60_000 - 1);
    expect(await gateCode(router, 'policy.set', caller('dashboard'))).toBe('passed');
    clock.advance(1);
    expect(await gateCode(router, 'policy.set', caller('dashboard'))).toBe('OWNER_REQUIRED');
  });

  test("with real money, Electron's own windows decide and change without a session", async () => {
    const { router } = setUp({}, true);
    expect(await gateCode(router, 'policy.set', caller('dashboard', 'electron'))).toBe('passed');
    expect(await gateCode(router, 'approvals.decide', caller('approval', 'electron'))).toBe('passed');
    expect(await gateCode(router, 'approvals.decide', caller('dashboard', 'electron'))).toBe('FORBIDDEN');
  });

  test('a refused caller learns nothing of the input rules', async () => {
    const { router } = setUp({});
    const reply = await router.dispatch('approvals.decide', { nonsense: true }, caller('dashboard'));
    expect(reply).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
  });
});

describe('dispatch', () => {
  test('hands the parsed input and the caller to the handler and answers its value', async () => {
    let seen: unknown;
    const { router } = setUp({
      'payments.list': (input, who) => {
        seen = { input, who };
        return { payments: [], more: false };
      },
    });
    expect(await router.dispatch('payments.list', { extra: 1 }, caller('dashboard'))).toEqual({ ok: true, value: { payments: [], more: false } });
    expect(seen).toEqual({ input: { limit: 50 }, who: caller('dashboard') });
  });

  test.each(['', 'constructor', '__proto__', 'toString', 'payments.nothing'])('answers NOT_FOUND for the route "%s"', async (route) => {
    const { router } = setUp({});
    expect(await router.dispatch(route, {}, caller('dashboard'))).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });

  test('names the field that does not fit and does not repeat its value', async () => {
    const { router } = setUp({});
    const secret = 'short';
    const reply = await router.dispatch('owner.setPassphrase', { passphrase: secret }, caller('dashboard'));
    expect(reply).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID', context: { field: 'passphrase' } } });
    expect(JSON.stringify(reply)).not.toContain(secret);
    expect(await router.dispatch('owner.status', 'text', caller('dashboard'))).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID', context: { field: 'input' } } });
  });

  test('passes on the code, hint and context of a BursarError', async () => {
    const { router, log } = setUp({
      'policy.get': () => {
        throw new BursarError('DATABASE_CORRUPT', 'The database is torn.', { hint: 'Put it together.', context: { file: 'ledger' } });
      },
    });
    expect(await router.dispatch('policy.get', {}, caller('dashboard'))).toEqual({
      ok: false,
      error: { code: 'DATABASE_CORRUPT', message: 'The database is torn.', hint: 'Put it together.', context: { file: 'ledger' } },
    });
    expect(log.lines).toEqual([]);
  });

  test.each([['thrown', () => { throw new TypeError('key 0xSECRET'); }], ['rejected', () => Promise.reject(new TypeError('key 0xSECRET'))]])('an unexpected error that is %s is logged with its stack and answered without its words', async (_how, handler) => {
    const { router, log } = setUp({ 'policy.get': handler });
    const reply = await router.dispatch('policy.get', {}, caller('dashboard'));
    expect(reply).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect(JSON.stringify(reply)).not.toContain('SECRET');
    expect(log.lines).toEqual([{ level: 'error', message: 'a request failed', fields: expect.objectContaining({ route: 'policy.get', stack: expect.stringContaining('router.test.ts') }) }]);
  });

  test('a field that the contract does not name stays in main', async () => {
    const upstream = { name: 'demo', kind: 'http' as const, address: 'http://x', enabled: true, mcpUrl: 'http://y', headers: { authorization: 'SECRET' } };
    const { router } = setUp({ 'upstreams.list': () => ({ upstreams: [upstream] }) });
    const reply = await router.dispatch('upstreams.list', {}, caller('dashboard'));
    expect(reply).toMatchObject({ ok: true, value: { upstreams: [{ name: 'demo' }] } });
    expect(JSON.stringify(reply)).not.toContain('SECRET');
  });
});

test.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])('a full disk (%s) is a defect of Bursar in the words of a page', async (code) => {
  const { router } = setUp({
    'policy.get': () => {
      throw Object.assign(new Error('database or disk is full'), { code });
    },
  });
  expect(await router.dispatch('policy.get', {}, caller('dashboard'))).toMatchObject({ ok: false, error: { code: 'DISK_FULL', hint: expect.stringContaining('Free some space') } });
});
