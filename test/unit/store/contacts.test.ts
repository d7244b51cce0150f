import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createContacts, type ContactFields } from '../../../src/main/adapters/store/contacts.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';

const ADA: ContactFields = { name: 'Ada', email: 'ada@example.com', phone: '+4930123456', note: 'met in May', addresses: [{ chain: 'eip155', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }] };

function open() {
  const db = openDatabase(join(mkdtempSync(join(tmpdir(), 'bursar-contacts-')), 'bursar.db'));
  const key = new Uint8Array(randomBytes(32));
  let locked = false;
  const sealer = createSealer(() => {
    if (locked) throw new BursarError('WALLET_LOCKED', 'Bursar is locked.');
    return key;
  });
  return { db, contacts: createContacts(db, { now: () => 1000 }, sealer), lock: () => (locked = true) };
}

test('a number is given twice, or an edit gives another one', async () => {
  const { contacts } = open();
  expect((await contacts.add(ADA)).number).toBe(1);
  expect((await contacts.add({ ...ADA, name: 'Bob' })).number).toBe(2);
  contacts.remove(2);
  contacts.remove(1);
  expect(await contacts.list()).toEqual([]);
  const again = await Promise.all([contacts.add({ ...ADA, name: 'Cleo' }), contacts.add({ ...ADA, name: 'Dan' })]);
  expect(again.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([3, 4]);
  expect(await contacts.edit(3, { ...ADA, name: 'Eve' })).toMatchObject({ number: 3, name: 'Eve', createdAt: 1000 });
});

test('what is missing is edited, removed or read in silence', async () => {
  const { contacts } = open();
  const missing = { code: 'NOT_FOUND', message: 'There is no contact 7.' };
  await expect(contacts.get(7)).rejects.toMatchObject(missing);
  await expect(contacts.edit(7, ADA)).rejects.toMatchObject(missing);
  expect(() => contacts.remove(7)).toThrow(expect.objectContaining(missing));
});

test('I6: the file tells whom the owner knows, or shows them while it is locked', async () => {
  const { db, contacts, lock } = open();
  await contacts.add(ADA);
  const bytes = db.serialize().toString('latin1');
  for (const word of ['Ada', 'ada@example.com', '+4930123456', 'met in May', ADA.addresses[0]!.address]) expect(bytes).not.toContain(word);
  lock();
  await expect(contacts.list()).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
});

test('an address that was put there from outside, or moved to another number, is paid', async () => {
  const { db, contacts } = open();
  await contacts.add(ADA);
  await contacts.add({ ...ADA, name: 'Mallory' });
  db.exec('UPDATE contacts SET sealed = (SELECT sealed FROM contacts WHERE number = 2) WHERE number = 1');
  await expect(contacts.get(1)).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
  expect(await contacts.get(2)).toMatchObject({ name: 'Mallory' });
});
