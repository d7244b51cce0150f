import { expect, test } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createClients } from '../../../src/main/adapters/store/clients.ts';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { clientAccessHandlers } from '../../../src/main/rpc/handlers/client-access.ts';
import { SCOPES, USUAL_SCOPES } from '../../../src/shared/access/scopes.ts';
import type { NewCredential } from '../../../src/shared/contract/client-access.ts';
import { openStore } from '../store/fixtures.ts';

const caller: Caller = { surface: 'dashboard', connection: 'c', host: 'headless' };

function open() {
  const { db, clock } = openStore();
  const clients = createClients(db, clock, createSealer(() => new Uint8Array(32).fill(1)));
  const ended: unknown[] = [];
  const handlers = clientAccessHandlers({ clients, tokenUrl: () => 'http://127.0.0.1:1/oauth/token', changed: () => undefined, ended: (name, options) => void ended.push([name, options?.claimed ?? false]), scopesChanged: () => undefined });
  const secretOf = (credential: NewCredential) => (credential.credential === 'key' ? credential.token : credential.clientSecret);
  return { db, clients, ended, handlers, secretOf };
}

test('a client that is added gets a power to send that the owner did not give it', async () => {
  const { handlers, clients } = open();
  await clients.default();
  clients.setToken('claude-desktop', `brs_${'x'.repeat(43)}`);
  await handlers['clients.add']({ name: 'cursor', credential: 'key' }, caller);
  const { clients: listed } = await handlers['clients.access']({}, caller);
  expect(listed.map(({ name, scopes, isDefault }) => [name, scopes, isDefault])).toEqual([
    ['default', USUAL_SCOPES, true],
    ['claude-desktop', USUAL_SCOPES, false],
    ['cursor', USUAL_SCOPES, false],
  ]);
  expect(await handlers['clients.setScopes']({ name: 'cursor', scopes: ['sms_payments:write'] }, caller)).toMatchObject({ scopes: ['payment_context:read', 'sms_payments:write'] });
});

test('an added client takes the place of another, or a name of Bursar', async () => {
  const { handlers, clients, secretOf } = open();
  const first = await handlers['clients.add']({ name: 'cursor', credential: 'key' }, caller);
  for (const name of ['cursor', 'default', 'cli']) expect(() => handlers['clients.add']({ name, credential: 'key', scopes: [...SCOPES] }, caller)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  expect(clients.authenticate(secretOf(first))).toMatchObject({ name: 'cursor', scopes: USUAL_SCOPES });
});

test('I6: a secret can be read after it was shown, or stands in the database', async () => {
  const { db, handlers, secretOf } = open();
  const made = [await handlers['clients.add']({ name: 'a', credential: 'key' }, caller), await handlers['clients.add']({ name: 'b', credential: 'oauth' }, caller), await handlers['clients.rotate']({ name: 'b' }, caller)].map(secretOf);
  const everything = JSON.stringify(await handlers['clients.access']({}, caller)) + db.serialize().toString('latin1');
  for (const secret of made) expect(everything).not.toContain(secret.slice(-43));
});

test('an old credential works after a new one was made, or the kind of it changes', async () => {
  const { handlers, clients, ended, secretOf } = open();
  const [key, oauth] = [await handlers['clients.add']({ name: 'key', credential: 'key' }, caller), await handlers['clients.add']({ name: 'oauth', credential: 'oauth', scopes: [...SCOPES] }, caller)];
  const [newKey, newOauth, newDefault] = [await handlers['clients.rotate']({ name: 'key' }, caller), await handlers['clients.rotate']({ name: 'oauth' }, caller), await handlers['clients.rotate']({ name: 'default' }, caller)];
  expect(clients.authenticate(secretOf(key))).toBeUndefined();
  expect(clients.authenticate(secretOf(newKey))).toMatchObject({ name: 'key' });
  expect(newOauth).toMatchObject({ credential: 'oauth', clientId: (oauth as { clientId: string }).clientId, scopes: SCOPES });
  expect(secretOf(newOauth)).not.toBe(secretOf(oauth));
  expect(clients.authenticate(secretOf(newOauth))).toBeUndefined();
  expect((await clients.default()).token).toBe(secretOf(newDefault));
  expect(ended).toEqual([['key', false], ['oauth', false], ['default', false]]);
  await expect(async () => handlers['clients.rotate']({ name: 'nobody' }, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a revoked client is listed, can prove its name, or cannot be added again', async () => {
  const { handlers, clients, ended, secretOf } = open();
  const made = await handlers['clients.add']({ name: 'cursor', credential: 'oauth' }, caller);
  const id = (made as { clientId: string }).clientId;
  expect(clients.oauthClient(id)).toBeDefined();
  expect(await handlers['clients.revoke']({ name: 'cursor' }, caller)).toEqual({ name: 'cursor', revoked: true });
  expect(ended).toEqual([['cursor', true]]);
  expect((await handlers['clients.access']({}, caller)).clients).toEqual([]);
  expect(clients.oauthClient(id)).toBeUndefined();
  for (const act of [() => handlers['clients.revoke']({ name: 'cursor' }, caller), () => handlers['clients.setScopes']({ name: 'cursor', scopes: [] }, caller)]) expect(act).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  const again = await handlers['clients.add']({ name: 'cursor', credential: 'key' }, caller);
  expect(clients.authenticate(secretOf(again))).toMatchObject({ name: 'cursor' });
  expect(() => handlers['clients.revoke']({ name: 'default' }, caller)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
});
