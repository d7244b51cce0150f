import { expect, test } from 'vitest';
import { createClientAccess } from '../../../src/main/access/client-access.ts';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createClients, newToken } from '../../../src/main/adapters/store/clients.ts';
import { SCOPES, USUAL_SCOPES } from '../../../src/shared/access/scopes.ts';
import { recordingLog } from '../../support/rpc/contract-fakes.ts';
import { openStore } from '../store/fixtures.ts';

function open() {
  const { db, clock } = openStore();
  const clients = createClients(db, clock, createSealer(() => new Uint8Array(32).fill(1)));
  const add = (name: string, scopes = USUAL_SCOPES) => clients.add({ name, credential: 'key', scopes, secret: newToken() });
  const log = recordingLog();
  return { db, clock, clients, add, log, access: createClientAccess({ clients, clock, log, changed: () => undefined }) };
}

test('I7: a token, or a name that is only claimed, may do more than the owner allows its client', () => {
  const { access, add, clients } = open();
  add('reader', []);
  add('sender', SCOPES);
  expect(access.scopesOf({ client: 'reader' })).toEqual(['payment_context:read']);
  expect(access.scopesOf({ client: 'reader', scopes: SCOPES })).toEqual(['payment_context:read']);
  expect(access.scopesOf({ client: 'sender', scopes: ['email_payments:write'] })).toEqual(['email_payments:write']);
  expect(access.scopesOf({ client: 'sender (unverified)' })).toEqual(USUAL_SCOPES);
  expect(access.scopesOf({ client: 'reader (unverified)' })).toEqual(['payment_context:read']);
  expect(access.scopesOf({ client: 'anybody (unverified)' })).toEqual(USUAL_SCOPES);
  expect(access.scopesOf({ client: 'nobody' })).toEqual([]);
  clients.setScopes('sender', ['x402:execute']);
  expect(access.scopesOf({ client: 'sender', scopes: SCOPES })).toEqual(USUAL_SCOPES);
  expect(() => access.requireMayPay({ client: 'sender' })).not.toThrow();
  expect(() => access.requireMayPay({ client: 'sender', scopes: ['payment_context:read'] })).toThrow(expect.objectContaining({ code: 'SCOPE_MISSING' }));
});

test('a revoked client comes back under its name, proved or claimed, before the owner adds it again', () => {
  const { access, add, clients } = open();
  add('cursor');
  expect(access.admits('cursor (unverified)')).toBe(true);
  clients.revoke('cursor');
  for (const client of ['cursor', 'cursor (unverified)']) {
    expect(access.admits(client)).toBe(false);
    expect(access.scopesOf({ client })).toEqual([]);
    expect(() => access.requireMayPay({ client })).toThrow(expect.objectContaining({ code: 'SCOPE_MISSING' }));
  }
  add('cursor', SCOPES);
  expect(access.admits('cursor (unverified)')).toBe(true);
  expect(access.scopesOf({ client: 'cursor' })).toEqual(SCOPES);
});

test('each call of a client writes to the database, or it is not known when it came', () => {
  const { access, add, clients, clock, db } = open();
  add('cursor');
  const writes = () => (db.prepare<[], { n: number }>('SELECT total_changes() AS n').get() as { n: number }).n;
  access.seen('cursor');
  const [first, before] = [clients.find('cursor')?.lastSeen, writes()];
  expect(first).toBe(clock.now());
  for (let call = 0; call < 1_000; call++) access.seen('cursor');
  access.seen('cursor (unverified)');
  expect(writes()).toBe(before);
  clock.at += 60_000;
  access.seen('cursor');
  expect(clients.find('cursor')?.lastSeen).toBe(first! + 60_000);
});

test('a database that cannot be written cuts off whoever only looks', () => {
  const { access, add, db, log } = open();
  add('cursor');
  db.pragma('query_only = 1');
  expect(() => access.seen('cursor')).not.toThrow();
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { client: 'cursor' } }]);
});
