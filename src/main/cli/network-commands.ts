import type { Command } from 'commander';
import { table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar network …` and `bursar facilitator …`. */
export function addNetworkCommands(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('network')
    .description('networks and how they are reached')
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
