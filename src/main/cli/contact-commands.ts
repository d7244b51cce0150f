import { InvalidArgumentError, type Command } from 'commander';
import type { ContactView } from '../../shared/contract/contacts.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { pair } from './options.ts';
import { table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface FieldOptions {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly note?: string;
  readonly evm?: string;
  readonly solana?: string;
  readonly address?: Record<string, string>;
  readonly removeAddress?: string[];
  readonly json?: boolean;
}

/** `bursar contact …`. */
export function addContactCommands(program: Command, { withConnection, print, command }: CommandTools): void {
  const contact = program.command('contact').description('whom you and your agents send money to, by number');
  contact
    .command('list')
    .description('list the contacts with everything that is known of them')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('contacts.list', {});
        print(json, listed, () => (listed.contacts.length === 0 ? [`No contact yet. Add one with: ${command('contact add NAME --evm 0x…')}`] : listed.contacts.flatMap(contactLines)));
      }),
    );
  withFields(contact.command('add').description('add a contact; its number is never given to another one').argument('<name>')).action((name: string, options: FieldOptions) =>
    withConnection(async ({ request }) => {
      const { email = '', phone = '', note = '' } = options;
      const added = await request('contacts.add', { name, email, phone, note, addresses: addressesOf(options) });
      print(options.json, added, () => ['Added:', ...contactLines(added)]);
    }),
  );
  withFields(contact.command('edit').description('change what is given, and nothing else').argument('<number>', 'number of the contact', contactNumber).option('--name <name>', 'another name'))
    .option('--remove-address <chain>', 'take the address for a chain away (repeatable)', (chain: string, before: string[] | undefined) => [...(before ?? []), chain])
    .action((number: number, options: FieldOptions) =>
      withConnection(async ({ request }) => {
        const { name, email, phone, note, removeAddress = [] } = options;
        const given = addressesOf(options);
        const changesAddresses = given.length > 0 || removeAddress.length > 0;
        const before = changesAddresses ? (await request('contacts.list', {})).contacts.find((one) => one.number === number) : undefined;
        if (changesAddresses && !before) throw new BursarError('NOT_FOUND', `There is no contact ${number}.`);
        const kept = (before?.addresses ?? []).filter(({ chain }) => !removeAddress.includes(chain) && !given.some((one) => one.chain === chain)).map(({ chain, address }) => ({ chain, address }));
        const edited = await request('contacts.edit', {
          number,
          ...(name !== undefined && { name }),
          ...(email !== undefined && { email }),
          ...(phone !== undefined && { phone }),
          ...(note !== undefined && { note }),
          ...(changesAddresses && { addresses: [...kept, ...given] }),
        });
        print(options.json, edited, () => ['Changed:', ...contactLines(edited)]);
      }),
    );
  contact
    .command('remove')
    .description('remove a contact')
    .argument('<number>', 'number of the contact', contactNumber)
    .option(...JSON_OPTION)
    .action((number: number, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('contacts.remove', { number });
        print(json, { number, removed: true }, () => [`Removed contact ${number}.`]);
      }),
    );
}

const withFields = (command: Command): Command =>
  command
    .option('--evm <address>', 'address on every EVM network')
    .option('--solana <address>', 'address on Solana')
    .option('--address <chain=address>', 'address on one network, by its CAIP-2 id (repeatable)', pair)
    .option('--email <email>', 'e-mail address; "" for none')
    .option('--phone <phone>', 'phone number with its country code; "" for none')
    .option('--note <text>', 'your own note')
    .option(...JSON_OPTION);

const addressesOf = ({ evm, solana, address = {} }: FieldOptions) => [
  ...(evm === undefined ? [] : [{ chain: 'eip155', address: evm }]),
  ...(solana === undefined ? [] : [{ chain: 'solana', address: solana }]),
  ...Object.entries(address).map(([chain, one]) => ({ chain, address: one })),
];

function contactLines({ number, name, email, phone, note, addresses, warnings }: ContactView): readonly string[] {
  const rows = [['e-mail', email], ['phone', phone], ['note', note], ...addresses.map(({ chain, address }) => [chain, address])].filter(([, value]) => value !== '');
  return [
    ...table([[`${number}`, name]]),
    ...table(rows.map(([label = '', value = '']) => [`   ${label}`, value])),
    ...[...warnings, ...addresses.flatMap((one) => one.warnings)].map((warning) => `   WARNING: ${warning}`),
  ];
}

function contactNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It has to be the number of a contact.');
  return Number(text);
}
