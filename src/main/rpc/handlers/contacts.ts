import type { Account } from '../../../core/ports.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { skeleton } from '../../../core/registry/lookalike.ts';
import { findNetwork } from '../../../core/registry/networks.ts';
import type { ContactView } from '../../../shared/contract/contacts.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
import type { Contact, ContactAddress, ContactFields, ContactStore } from '../../adapters/store/contacts.ts';
import { addressWarnings, checkAddress } from '../../wallet/check-address.ts';
import type { Handlers } from '../router.ts';

export interface ContactDeps {
  readonly contacts: ContactStore;
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
  readonly changed: () => void;
  /** Called when whom a contact's name stands for, or where they are paid, is another than before. */
  readonly moved: (number: number) => void;
}

type Routes = 'contacts.list' | 'contacts.add' | 'contacts.edit' | 'contacts.remove';

export const contactHandlers = ({ contacts, assets, accounts, changed, moved }: ContactDeps): Pick<Handlers, Routes> => {
  /** The fields with every address checked and written as its chain does. */
  function checked({ addresses, ...texts }: ContactFields): ContactFields {
    const seen = new Set<string>();
    return {
      ...texts,
      name: plainName(texts.name),
      addresses: addresses.map(({ chain, address }): ContactAddress => {
        if (seen.has(chain)) throw new BursarError('INPUT_INVALID', `The contact has two addresses for ${chain}.`);
        seen.add(chain);
        if (chain.includes(':') && !findNetwork(chain)) throw new BursarError('NETWORK_UNSUPPORTED', `Bursar knows no network ${chain}.`);
        const found = checkAddress(address, assets.list);
        if (!`${chain}:`.startsWith(`${found.namespace}:`)) throw new BursarError('ADDRESS_INVALID', `${found.address} is an address of ${KINDS[found.namespace]}, and ${chain} is another kind of network.`);
        return { chain, address: found.address };
      }),
    };
  }

  function view(contact: Contact, all: readonly Contact[]): ContactView {
    const others = all.filter(({ number }) => number !== contact.number);
    const known = [
      ...others.flatMap(({ name, addresses }) => addresses.map(({ address }) => ({ name, address }))),
      ...accounts().map(({ label, address }) => ({ name: `your account ${label}`, address })),
    ];
    const own = accounts().map(({ address }) => address.toLowerCase());
    const twin = others.find(({ name }) => skeleton(name) === skeleton(contact.name));
    return {
      ...contact,
      addresses: contact.addresses.map(({ chain, address }) => ({
        chain,
        address,
        warnings: [
          ...addressWarnings(checkAddress(address, []), known).map(sentence),
          ...(own.includes(address.toLowerCase()) ? ['This is an account of this wallet.'] : []),
          ...others.filter((other) => other.addresses.some((one) => one.address === address)).map(({ number, name }) => `Contact ${number} (${name}) has the same address.`),
        ],
      })),
      warnings: twin ? [`Contact ${twin.number} has a name that looks the same.`] : [],
    };
  }

  return {
    'contacts.list': async () => {
      const all = await contacts.list();
      return { contacts: all.map((contact) => view(contact, all)) };
    },
    'contacts.add': async (fields) => {
      const added = await contacts.add(checked(fields));
      changed();
      return view(added, await contacts.list());
    },
    'contacts.edit': async ({ number, ...given }) => {
      const before = await contacts.get(number);
      const { name, email, phone, note, addresses } = before;
      const edited = await contacts.edit(
        number,
        checked({ name: given.name ?? name, email: given.email ?? email, phone: given.phone ?? phone, note: given.note ?? note, addresses: given.addresses ?? addresses }),
      );
      if (identity(edited) !== identity(before)) moved(number);
      changed();
      return view(edited, await contacts.list());
    },
    'contacts.remove': ({ number }) => {
      contacts.remove(number);
      moved(number);
      changed();
      return {};
    },
  };
};

/** What somebody who approves a payment to the contact goes by. */
const identity = ({ name, email, phone, addresses }: ContactFields): string => JSON.stringify([name, email, phone, addresses]);

const KINDS = { eip155: 'an EVM network', solana: 'Solana' } as const;

/** The name stands beside the amount when money is sent: nothing in it may hide or turn other words round. */
function plainName(name: string): string {
  const plain = cleanText(name, 80).replaceAll(/\s+/g, ' ').trim();
  if (plain === '' || plain !== name.trim()) throw new BursarError('INPUT_INVALID', 'The name of the contact holds characters that cannot be shown as they are.');
  return plain;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
