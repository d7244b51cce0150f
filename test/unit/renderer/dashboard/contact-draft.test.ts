import { expect, test } from 'vitest';
import { fieldsOf, NEW_CONTACT, problemsIn, problemsOf } from '../../../../src/renderer/dashboard/pages/contacts/contact-draft.ts';

const draft = { ...NEW_CONTACT, name: ' Ada ', phone: '+49 (30) 123-456', addresses: [{ key: 0, chain: 'eip155', address: ' ' }, { key: 1, chain: 'solana', address: ' Sol1 ' }] };

test('an empty line of addresses stops a contact, or blanks stay in what is saved', () => {
  expect(fieldsOf(draft)).toEqual({ name: 'Ada', email: '', phone: '+4930123456', note: '', addresses: [{ chain: 'solana', address: 'Sol1' }] });
  expect(problemsOf(draft)).toEqual({ fields: {}, addresses: {} });
});

test('a problem stands beside another field or line than its own', () => {
  expect(Object.keys(problemsOf({ ...draft, name: ' ', email: 'x', phone: '1' }).fields)).toEqual(['name', 'email', 'phone']);
  expect(Object.keys(problemsOf({ ...draft, addresses: [...draft.addresses, { key: 2, chain: 'eip155', address: 'a'.repeat(101) }] }).addresses)).toEqual(['2']);
  const refused = { message: 'Sol1 is no address.', hint: '', context: {} };
  expect(problemsIn({ ...refused, code: 'ADDRESS_INVALID' }, draft)).toEqual({ fields: {}, addresses: { 1: 'Sol1 is no address.' } });
  expect(problemsIn({ ...refused, code: 'INPUT_INVALID', context: { field: 'email' } }, draft)).toEqual({ fields: { email: 'Sol1 is no address.' }, addresses: {} });
  expect(problemsIn({ ...refused, code: 'DISK_FULL' }, draft)).toBeUndefined();
});
