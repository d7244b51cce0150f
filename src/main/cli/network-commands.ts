import type { Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import { oneLine, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar network …` and `bursar facilitator …`. */
export function addNetworkCommands(program: Command, { withConnection, print, foundWrong }: CommandTools): void {
  const networkCommand = program.command('network').description('networks and how they are reached');
  networkCommand
    .command('list')
    .description('list the networks of this kind of money with their RPC addresses')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const { networks } = await request('settings.get', {});
        print(json, { networks }, () => (networks.length === 0 ? ['The sandbox brings its own networks while it runs.'] : table(networks.map(({ network, name, enabled, rpcUrls }) => [network, name, enabled ? 'enabled' : 'off', rpcUrls.join(' ')]))));
      }),
    );
  networkCommand
    .command('disable')
    .description('disable a network where no payment is under way; its own RPC addresses are forgotten')
    .argument('<caip2>', 'for example eip155:84532')
    .option(...JSON_OPTION)
    .action((network: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('networks.disable', { network });
        print(json, { network, enabled: false }, () => [`Disabled ${network}.`]);
      }),
    );
  networkCommand
    .command('check')
    .description('ask RPC addresses whether they answer and serve the network; saves nothing')
    .argument('<caip2>', 'for example eip155:84532')
    .argument('[url...]', 'RPC addresses; those in force without them')
    .option(...JSON_OPTION)
    .action((network: string, urls: string[], { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const rpcUrls = urls.length > 0 ? urls : ((await request('settings.get', {})).networks.find((each) => each.network === network)?.rpcUrls ?? []);
        if (rpcUrls.length === 0) throw new BursarError('INPUT_INVALID', `There is no address of ${network} to ask.`, { hint: 'Give one behind the network.' });
        const { checks } = await request('settings.checkRpc', { network, rpcUrls });
        print(json, { network, checks }, () => checks.map(({ state, text }) => `${state === 'ok' ? 'ok  ' : 'fail'}  ${oneLine(text)}`));
        if (checks.some(({ state }) => state !== 'ok')) foundWrong();
      }),
    );
  networkCommand
    .command('set')
    .description('enable a network, or set its RPC addresses')
    .argument('<caip2>', 'for example eip155:84532')
    .requiredOption('--rpc <url...>', 'RPC address (repeatable; the first that answers is used)')
    .option(...JSON_OPTION)
    .action((network: string, { rpc, json }: { rpc: string[]; json?: boolean }) =>
      withConnection(
        async ({ request }) => {
          await request('networks.set', { network, rpcUrls: rpc });
          print(json, { network, rpcUrls: rpc }, () => [`Set ${network}: ${rpc.join(', ')}`]);
        },
        { mayMakeFolder: true },
      ),
    );

  const facilitator = program.command('facilitator').description('who settles where Bursar settles a payment itself');
  facilitator
    .command('list')
    .description('list the facilitators of each network, the first one asked first')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('facilitators.list', {});
        const rows = listed.facilitators.map(({ network, urls, own }) => [network, own ? 'set by you' : 'built in', urls.join(' ')]);
        print(json, listed, () => (rows.length === 0 ? ['No network is enabled.'] : table(rows)));
      }),
    );
  facilitator
    .command('set')
    .description('set the facilitators of a network')
    .argument('<network>', 'its CAIP-2 id, or "*" for every network that has none of its own')
    .argument('<url...>', 'addresses, the one to ask first first')
    .option(...JSON_OPTION)
    .action((network: string, urls: string[], { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('facilitators.set', { network, urls });
        print(json, { network, urls }, () => [`Set the facilitators of ${network === '*' ? 'every other network' : network}: ${urls.join(', ')}`]);
      }),
    );
  facilitator
    .command('reset')
    .description('go back to the built-in facilitators, for one network or for all')
    .argument('[network]', 'its CAIP-2 id, or "*"')
    .option(...JSON_OPTION)
    .action((network: string | undefined, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('facilitators.reset', { ...(network !== undefined && { network }) });
        print(json, { network: network ?? null, reset: true }, () => [`The built-in facilitators are asked again${network === undefined ? '' : ` for ${network}`}.`]);
      }),
    );
}
