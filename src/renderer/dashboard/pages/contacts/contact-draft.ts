import { contactRoutes, type ContactView } from '../../../../shared/contract/contacts.ts';
import type { RouteInput } from '../../../../shared/contract/contract.ts';
import type { ErrorInfo } from '../../../../shared/errors/errors.ts';
import { contactTexts } from '../../../texts/contacts.ts';

/** One address as typed. `key` tells lines apart while they are edited. */
export interface AddressDraft {
  readonly key: number;
  readonly chain: string;
  readonly address: string;
}

/** A contact as typed. */
export interface ContactDraft {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly note: string;
  readonly addresses: readonly AddressDraft[];
}

export type ContactField = 'name' | 'email' | 'phone' | 'note';
const FIELDS: readonly string[] = ['name', 'email', 'phone', 'note'] satisfies ContactField[];
const isField = (field: unknown): field is ContactField => typeof field === 'string' && FIELDS.includes(field);

/** What is wrong, beside the field or the line of addresses that it is about. */
export interface ContactProblems {
  readonly fields: Partial<Record<ContactField, string>>;
  /** By the place of the line. */
  readonly addresses: Readonly<Record<number, string>>;
}

export const NEW_CONTACT: ContactDraft = { name: '', email: '', phone: '', note: '', addresses: [{ key: 0, chain: 'eip155', address: '' }] };

export const draftOf = ({ name, email, phone, note, addresses }: ContactView): ContactDraft => ({ name, email, phone, note, addresses: addresses.map(({ chain, address }, key) => ({ key, chain, address })) });

/** The places of the lines in which something stands; empty ones are left out. */
const filledLines = ({ addresses }: ContactDraft): readonly number[] => addresses.flatMap(({ address }, line) => (address.trim() === '' ? [] : [line]));

/** What is asked of main. */
export const fieldsOf = ({ name, email, phone, note, addresses }: ContactDraft): RouteInput<'contacts.add'> => ({
  name: name.trim(),
  email: email.trim(),
  phone: phone.replaceAll(/[\s().-]/g, ''),
  note: note.trim(),
  addresses: addresses.flatMap(({ chain, address }) => (address.trim() === '' ? [] : [{ chain, address: address.trim() }])),
});

/** What the contract would refuse. */
export function problemsOf(draft: ContactDraft): ContactProblems {
  const parsed = contactRoutes['contacts.add'].input.safeParse(fieldsOf(draft));
  const fields: Partial<Record<ContactField, string>> = {};
  const addresses: Record<number, string> = {};
  for (const { path } of parsed.error?.issues ?? []) {
    const [field, line] = path;
    if (isField(field)) fields[field] = contactTexts.problems[field];
    else if (field === 'addresses' && typeof line === 'number') addresses[filledLines(draft)[line] ?? line] = contactTexts.problems.address;
  }
  return { fields, addresses };
}

export const hasProblems = ({ fields, addresses }: ContactProblems): boolean => Object.keys(fields).length + Object.keys(addresses).length > 0;

/** Where a refusal of main's belongs; undefined where no field of the form is meant. */
export function problemsIn(error: ErrorInfo, { addresses }: ContactDraft): ContactProblems | undefined {
  const words = `${error.message} ${error.hint}`.trim();
  if (isField(error.context['field'])) return { fields: { [error.context['field']]: words }, addresses: {} };
  // Main names the address, and repeats at most its beginning.
  const lines = addresses.flatMap(({ address }, line) => (address.trim() !== '' && error.message.includes(address.trim().slice(0, 80)) ? [line] : []));
  if (error.code === 'ADDRESS_INVALID' && lines.length > 0) return { fields: {}, addresses: Object.fromEntries(lines.map((line) => [line, words])) };
  return undefined;
}
