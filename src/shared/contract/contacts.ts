import { z } from 'zod';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

const ContactNumber = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const Name = z.string().trim().min(1).max(80);
/** Empty where there is none. */
const Email = z.union([z.literal(''), z.email().max(254)]);
const Phone = z.union([z.literal(''), z.string().regex(/^\+[1-9]\d{6,14}$/, 'write a phone number such as +4930123456')]);
const Note = z.string().max(500);
/** A CAIP-2 id, or `eip155` or `solana` for every network of that kind. */
const Chain = z.string().regex(/^(eip155|solana)(:[a-zA-Z0-9]{1,64})?$/, 'name eip155, solana, or a network such as eip155:8453');
const Addresses = z.array(z.object({ chain: Chain, address: z.string().trim().min(1).max(100) })).max(32);

export const ContactView = z.object({
  /** Stable, and never given to another contact: agents send by it. */
  number: ContactNumber,
  name: z.string(),
  email: z.string(),
  phone: z.string(),
  note: z.string(),
  /** `warnings`: what the owner should know of an address, in sentences. */
  addresses: z.array(z.object({ chain: z.string(), address: z.string(), warnings: z.array(z.string()) })),
  /** What the owner should know of the contact, such as a name that looks like another's. */
  warnings: z.array(z.string()),
  createdAt: Timestamp,
});
export type ContactView = z.infer<typeof ContactView>;

/** Only the owner reads and writes contacts: they hold what is personal, and what is sent to a contact may go out without asking. All throw `WALLET_LOCKED`. */
export const contactRoutes = {
  'contacts.list': route('owner', Empty, z.object({ contacts: z.array(ContactView) })),
  /** Throws `ADDRESS_INVALID`, and `INPUT_INVALID` where a chain is named twice. */
  'contacts.add': route('owner', z.object({ name: Name, email: Email.default(''), phone: Phone.default(''), note: Note.default(''), addresses: Addresses.default([]) }), ContactView),
  /** What is left out stays; `addresses` replaces all of them. Throws as `contacts.add` does, and `NOT_FOUND`. */
  'contacts.edit': route('owner', z.object({ number: ContactNumber, name: Name.optional(), email: Email.optional(), phone: Phone.optional(), note: Note.optional(), addresses: Addresses.optional() }), ContactView),
  /** Throws `NOT_FOUND`. */
  'contacts.remove': route('owner', z.object({ number: ContactNumber }), Empty),
} as const;
