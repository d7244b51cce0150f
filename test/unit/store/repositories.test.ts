import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createAccounts } from '../../../src/main/adapters/store/accounts.ts';
import { createClients, newToken } from '../../../src/main/adapters/store/clients.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { MIGRATIONS } from '../../../src/main/adapters/store/migrations.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import { createUpstreams } from '../../../src/main/adapters/store/upstreams.ts';
import { created, newPayment, openStore, temporaryFolder, use } from './fixtures.ts';

const dataKey = new Uint8Array(32).fill(1);
const sealer = createSealer(() => dataKey);

describe('history', () => {
  it('skips or repeats a payment between two pages, or shows old ones first', () => {
    const { db, journal } = openStore();
    for (const number of [1, 2, 3, 4, 5]) journal.atomically((tx) => tx.insert(newPayment(`p${number}`), [], created));
    const history = createHistory(db);
    const ids = (before?: string) => {
      const { payments, more } = history.page({ limit: 2, ...(before !== undefined && { before }) });
      return [...payments.map(({ id }) => id), more];
    };
    expect(ids()).toEqual(['p5', 'p4', true]);
    expect(ids('p4')).toEqual(['p3', 'p2', true]);
    expect(ids('p2')).toEqual(['p1', false]);
    expect(ids('p1')).toEqual([false]);
    expect(() => ids('p9')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('tells of a payment in another order than it happened, or of another payment', () => {
    const { db, journal, clock } = openStore();
    journal.atomically((tx) => tx.insert(newPayment('p1'), [], created));
    journal.atomically((tx) => tx.insert(newPayment('p2'), [], created));
    const at = clock.at;
    clock.at += 10;
    journal.atomically((tx) => tx.change('p1', { decision: 'approved' }, { kind: 'approved', detail: 'by the owner' }));
    expect(createHistory(db).timeline('p1')).toEqual([{ at, ...created }, { at: at + 10, kind: 'approved', detail: 'by the owner' }]);
  });

  it('counts what was spent before, or was freed', () => {
    const { db, journal, clock } = openStore();
    for (const [index, at] of [1, 2, 3].entries()) journal.atomically((tx) => tx.insert(newPayment(`p${index}`), [use(3n, { at: clock.at + at })], created));
    journal.atomically((tx) => tx.change('p2', { money: 'none' }, created, { release: true }));
    expect(createHistory(db).spentSince(clock.at + 2)).toEqual([{ upstream: 'demo', at: clock.at + 2, usd: 3n }]);
  });

  it('replays other payments than the newest, or not in the order that they happened', () => {
    const { db, journal } = openStore();
    for (let number = 0; number < 1200; number++) journal.atomically((tx) => tx.insert(newPayment(`p${number}`), [use(1n)], created));
    const ids = [...createHistory(db).replay(1100)].map(({ payment }) => payment.id);
    expect(ids).toEqual(Array.from({ length: 1100 }, (_, index) => `p${index + 100}`));
  });
});

describe('policies', () => {
  it('overwrites a version that another page saved meanwhile, or forgets an old one', () => {
    const { db, clock } = openStore();
    const policies = createPolicies(db, clock, { timeZone: 'Europe/Berlin' });
    const first = policies.current();
    expect(first).toMatchObject({ number: 1, policy: { timeZone: 'Europe/Berlin', otherwise: 'ask' } });
    const second = policies.save({ basedOn: 1, policy: { ...first.policy, otherwise: 'deny' }, author: 'owner' });
    expect(() => policies.save({ basedOn: 1, policy: first.policy, author: 'owner' })).toThrow(expect.objectContaining({ code: 'APPROVAL_STALE' }));
    const again = createPolicies(db, clock, { timeZone: 'UTC' });
    expect(again.current()).toEqual(second);
    expect(again.versions()).toEqual([first, second]);
    expect(() => db.exec(`UPDATE policy_versions SET json = '{}'`)).toThrow(/never changes/);
  });

  it('takes an unreadable policy for an empty one', () => {
    const { db, clock } = openStore();
    db.prepare('INSERT INTO policy_versions (number, saved_at, author, json) VALUES (1, 1, ?, ?)').run('x', '{"caps":[]}');
    expect(() => createPolicies(db, clock, { timeZone: 'UTC' })).toThrow(expect.objectContaining({ code: 'DATABASE_CORRUPT' }));
  });
});

describe('upstreams', () => {
  const http = { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer canary-1' } } as const;
  const stdio = { kind: 'stdio', command: '/bin/server', args: ['-v'], env: { API_KEY: 'canary-2' } };

  it('stores a header or a variable in the clear, or loses it', async () => {
    const { db, clock } = openStore();
    const upstreams = createUpstreams(db, clock, sealer);
    await upstreams.add('web', { ...http, headers: { ...http.headers } });
    await upstreams.add('local', { kind: 'stdio', command: stdio.command, args: stdio.args, env: stdio.env });
    expect(JSON.stringify([upstreams.list(), db.prepare('SELECT * FROM upstreams').all()])).not.toContain('canary');
    const file = db.serialize().toString('latin1');
    expect(file).toContain(http.url);
    expect(file).not.toContain('canary');
    expect(upstreams.list().map(({ name, enabled }) => [name, enabled])).toEqual([['local', true], ['web', true]]);
    expect(upstreams.get('web').transport).toEqual({ kind: 'http', url: http.url, headerNames: ['Authorization'] });
    expect(await upstreams.transport('web')).toEqual(http);
    expect(await upstreams.transport('local')).toEqual(stdio);
  });

  it('replaces a server by another of its name', async () => {
    const { db, clock } = openStore();
    const upstreams = createUpstreams(db, clock, sealer);
    const plain = { kind: 'http', url: 'https://a.example/', headers: {} } as const;
    await upstreams.add('web', plain);
    await expect(upstreams.add('web', { ...plain, url: 'https://b.example/' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await upstreams.transport('web')).toEqual(plain);
    upstreams.setEnabled('web', false);
    expect(upstreams.get('web').enabled).toBe(false);
    upstreams.remove('web');
    expect(() => upstreams.get('web')).toThrow(expect.objectContaining({ code: 'UPSTREAM_UNKNOWN' }));
    expect(() => upstreams.remove('web')).toThrow(expect.objectContaining({ code: 'UPSTREAM_UNKNOWN' }));
    expect(() => upstreams.setEnabled('web', true)).toThrow(expect.objectContaining({ code: 'UPSTREAM_UNKNOWN' }));
  });
});

describe('clients', () => {
  it('accepts a token that was never given out, or stores one that was', async () => {
    const { db, clock } = openStore();
    const clients = createClients(db, clock, sealer);
    const [first, token] = [newToken(), newToken()];
    clients.setToken('cursor', first);
    clients.setToken('cursor', token);
    const [client] = clients.list();
    expect(clients.list()).toHaveLength(1);
    expect(clients.authenticate(first)).toBeUndefined();
    expect(token).toMatch(/^brs_[\w-]{43}$/);
    expect(clients.authenticate(token)).toEqual(client);
    for (const wrong of ['', 'brs_', token.slice(0, -1), `${token}x`, token.replace('brs_', 'BRS_')]) expect(clients.authenticate(wrong)).toBeUndefined();
    expect(db.serialize().toString('latin1')).not.toContain(token.slice(4));
    clients.remove(client!.id);
    expect(clients.authenticate(token)).toBeUndefined();
    expect(() => clients.remove(client!.id)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('leaves clients of an older database without what they could do, or gives them more', () => {
    const path = join(temporaryFolder(), 'bursar.db');
    const old = openDatabase(path, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === 'access')));
    const token = newToken();
    old.prepare("INSERT INTO clients (id, name, token_hash, sealed_token, created_at) VALUES ('a', 'cursor', ?, NULL, 5)").run(createHash('sha256').update(token).digest());
    old.close();
    const db = openDatabase(path);
    onTestFinished(() => void db.close());
    const clients = createClients(db, openStore().clock, sealer);
    expect(clients.list()).toEqual([{ id: 'a', name: 'cursor', createdAt: 5, credential: 'key', scopes: ['payment_context:read', 'x402:execute'] }]);
    expect(clients.authenticate(token)).toMatchObject({ name: 'cursor' });
  });

  it('gives the default client a new token at every start, or two at once', async () => {
    const { db, clock } = openStore();
    const clients = createClients(db, clock, sealer);
    const [first, second] = await Promise.all([clients.default(), clients.default()]);
    expect(second).toEqual(first);
    expect(await createClients(db, clock, sealer).default()).toEqual(first);
    expect(clients.authenticate(first.token)).toEqual(first.client);
    expect(db.serialize().toString('latin1')).not.toContain(first.token.slice(4));
    expect(() => clients.setToken('default', newToken())).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(clients.list()).toHaveLength(1);
  });
});

describe('accounts', () => {
  it('adds an address twice', () => {
    const accounts = createAccounts(openStore().db);
    const account = { id: 'a', label: 'Main', namespace: 'eip155', address: '0x1', source: 'seed', path: "m/44'/60'/0'/0/0", seed: 'main', hidden: false } as const;
    expect(accounts.add(account)).toBe(true);
    expect(accounts.add({ ...account, id: 'b' })).toBe(false);
    expect(accounts.list()).toEqual([account]);
  });
});
