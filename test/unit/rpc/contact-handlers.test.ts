import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createContacts } from '../../../src/main/adapters/store/contacts.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { contactHandlers } from '../../../src/main/rpc/handlers/contacts.ts';
import { ROUTES } from '../../../src/shared/contract/contract.ts';
import { evmAccount, random, solanaAccount } from '../rails/fixtures.ts';

const caller = { surface: 'dashboard', connection: 'c', host: 'electron' } as const;
const own = { ...evmAccount(random(32)), label: 'Main' };

function open() {
  const key = new Uint8Array(randomBytes(32));
  const db = openDatabase(join(mkdtempSync(join(tmpdir(), 'bursar-contact-handlers-')), 'bursar.db'));
  let changes = 0;
  const moves: number[] = [];
  const handlers = contactHandlers({ contacts: createContacts(db, { now: () => 1 }, createSealer(() => key)), assets: REGISTERED, accounts: () => [own], changed: () => changes++, moved: (number) => void moves.push(number) });
  return {
    add: async (input: object) => handlers['contacts.add'](ROUTES['contacts.add'].input.parse(input), caller),
    edit: async (input: object) => handlers['contacts.edit'](ROUTES['contacts.edit'].input.parse(input), caller),
    list: async () => handlers['contacts.list']({}, caller),
    changes: () => changes,
    remove: async (number: number) => handlers['contacts.remove']({ number }, caller),
    moves,
  };
}

test('I7: anybody but the owner may read or write contacts', () => {
  for (const name of ['contacts.list', 'contacts.add', 'contacts.edit', 'contacts.remove', 'sends.quote', 'sends.send'] as const) expect(ROUTES[name].access).toBe('owner');
});

test('an address of the wrong kind, form or network is kept; or a good one is not written with its checksum', async () => {
  const { add, list, changes } = open();
  const { address } = evmAccount(random(32));
  const solana = (await solanaAccount(random(32))).address;
  for (const [addresses, code] of [
    [[{ chain: 'solana', address }], 'ADDRESS_INVALID'],
    [[{ chain: 'eip155', address: solana }], 'ADDRESS_INVALID'],
    [[{ chain: 'eip155:8453', address: `${address}0` }], 'ADDRESS_INVALID'],
    [[{ chain: 'eip155:999999999', address }], 'NETWORK_UNSUPPORTED'],
    [[{ chain: 'eip155', address }, { chain: 'eip155', address }], 'INPUT_INVALID'],
  ] as const) await expect(add({ name: 'Ada', addresses })).rejects.toMatchObject({ code });
  expect([await list(), changes()]).toEqual([{ contacts: [] }, 0]);
  expect(await add({ name: 'Ada', addresses: [{ chain: 'eip155', address: address.toLowerCase() }, { chain: 'solana', address: solana }] })).toMatchObject({ number: 1, addresses: [{ address, warnings: [] }, { address: solana, warnings: [] }] });
  expect(changes()).toBe(1);
});

test('a name that hides or turns round what stands beside it is taken; or a twin is not warned of', async () => {
  const { add } = open();
  for (const name of ['Ada\u202e', 'A\u200bda', 'Ada\u0000']) await expect(add({ name })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  for (const input of [{ name: '  ' }, { name: 'x'.repeat(81) }, { name: 'Ada', email: 'nobody' }, { name: 'Ada', phone: '030 1234' }]) await expect(add(input)).rejects.toThrow();
  const { address } = evmAccount(random(32));
  await add({ name: 'Ada', addresses: [{ chain: 'eip155', address }] });
  expect(await add({ name: 'Аda', addresses: [{ chain: 'eip155', address }] })).toMatchObject({ warnings: ['Contact 1 has a name that looks the same.'], addresses: [{ warnings: ['Contact 1 (Ada) has the same address.'] }] });
  expect(await add({ name: 'Me', addresses: [{ chain: 'eip155', address: own.address }] })).toMatchObject({ addresses: [{ warnings: ['This is an account of this wallet.'] }] });
});

test('an edit loses what it does not name, or keeps what it replaces', async () => {
  const { add, edit } = open();
  const { address } = evmAccount(random(32));
  await add({ name: 'Ada', email: 'ada@example.com', note: 'x', addresses: [{ chain: 'eip155', address }] });
  expect(await edit({ number: 1, email: '' })).toMatchObject({ name: 'Ada', email: '', note: 'x', addresses: [{ address }] });
  expect(await edit({ number: 1, addresses: [] })).toMatchObject({ name: 'Ada', addresses: [] });
  await expect(edit({ number: 2, name: 'Bob' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('what waits under a contact is not ended where they are paid elsewhere now, or is ended for a word in a note', async () => {
  const { add, edit, remove, moves } = open();
  const { number } = await add({ name: 'Ada', email: 'ada@example.org', addresses: [{ chain: 'eip155', address: evmAccount(random(32)).address }] });
  await edit({ number, note: 'pays back on Fridays' });
  expect(moves).toEqual([]);
  for (const change of [{ name: 'Ada B' }, { email: 'ada@example.com' }, { addresses: [{ chain: 'eip155', address: evmAccount(random(32)).address }] }]) await edit({ number, ...change });
  await remove(number);
  expect(moves).toEqual([number, number, number, number]);
});
