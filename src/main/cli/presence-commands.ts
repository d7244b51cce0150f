import type { Command } from 'commander';
import type { PasskeyView, PresenceStatus } from '../../shared/contract/presence.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar presence show | set | remove`. */
export function addPresenceCommands(program: Command, { withConnection, print }: CommandTools): void {
  const presence = program.command('presence').description('proof that you are there, above an amount that you set');
  presence
    .command('show')
    .description('show from which amount on you have to prove that you are there, and your passkeys')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const status = await request('presence.get', {});
        print(json, status, () => statusLines(status));
      }),
    );
  presence
    .command('set')
    .description('set that amount; raising it or turning it off asks for your passphrase, typed on a terminal')
    .argument('<amount>', 'in US dollars: 5.00; or off')
    .option(...JSON_OPTION)
    .action((amount: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const status = await request('presence.set', { above: amount });
        print(json, status, () => statusLines(status).slice(0, 1));
      }),
    );
  presence
    .command('remove')
    .description('remove a passkey, as one that is lost; asks for your passphrase, typed on a terminal')
    .argument('<passkey>', 'its id as the list shows it, or the first characters of it')
    .option(...JSON_OPTION)
    .action((start: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const { id, label } = meant((await request('presence.get', {})).passkeys, start);
        const status = await request('presence.passkeys.remove', { id });
        print(json, status, () => [`The passkey "${label}" proves nothing any more.`]);
      }),
    );
}

function meant(passkeys: readonly PasskeyView[], start: string): PasskeyView {
  const found = passkeys.filter(({ id }) => id.startsWith(start.toLowerCase()));
  const [only] = found;
  if (only && found.length === 1) return only;
  throw new BursarError('NOT_FOUND', only ? 'More than one passkey begins so.' : 'There is no such passkey.', { hint: 'List them with: bursar presence show' });
}

const SHOWN_ID = 12;

const statusLines = ({ above, byDefault, passkeys }: PresenceStatus): readonly string[] => [
  above === 'off'
    ? `You are never asked to prove that you are there${byDefault ? ', as is usual with play money' : ''}.`
    : `Above $${above}${byDefault ? ', the usual amount,' : ''} you prove that you are there; so you do for an amount without a known price, and to loosen a limit.`,
  ...(passkeys.length === 0
    ? ['No passkey. One is added on the dashboard, in the browser that will use it.']
    : ['Passkeys', ...table(passkeys.map(({ id, label, createdAt, usedAt }) => [`  ${id.slice(0, SHOWN_ID)}`, label, `added ${day(createdAt)}`, usedAt === undefined ? 'never used' : `used ${day(usedAt)}`]))]),
];

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
