import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ServerHealth, ServerLogLine } from '../../shared/contract/upstream-state.ts';
import { oneLine, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** How often `--follow` asks anew (ms). */
const FOLLOW_MS = 1_000;

/** Adds `bursar upstream health | logs | enable | disable`. */
export function addUpstreamStateCommands(upstream: Command, { withConnection, print }: Pick<CommandTools, 'withConnection' | 'print'>): void {
  upstream
    .command('health')
    .description('whether the servers run, when they were started, and what went wrong last')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const health = await request('upstreams.health', {});
        print(json, health, () => (health.servers.length === 0 ? ['No server yet.'] : table(health.servers.map(healthCells))));
      }),
    );
  upstream
    .command('logs')
    .description('the last lines of a server: its stderr, its starts and its failures; secrets are left out')
    .argument('<name>')
    .option('--follow', 'go on until Ctrl-C; with --json one object a line of the log')
    .option(...JSON_OPTION)
    .action((name: string, { follow = false, json }: { follow?: boolean; json?: boolean }) =>
      withConnection(
        async ({ request, running }) => {
          if (!follow) {
            const { lines } = await request('upstreams.logs', { name });
            return print(json, { lines }, () => (lines.length === 0 ? [running ? 'Nothing yet.' : 'Nothing: Bursar is not running here.'] : lines.map(logLine)));
          }
          for (let after = 0; ; await wait(FOLLOW_MS)) {
            const { lines } = await request('upstreams.logs', { name, after });
            after = lines.at(-1)?.number ?? after;
            for (const line of lines) print(json, line, () => [logLine(line)]);
          }
        },
        { onlyRunning: follow },
      ),
    );
  for (const enabled of [true, false]) {
    upstream
      .command(enabled ? 'enable' : 'disable')
      .description(enabled ? 'switch a server on again' : 'switch a server off: nobody reaches it, and what runs to it ends')
      .argument('<name>')
      .option(...JSON_OPTION)
      .action((name: string, { json }: { json?: boolean }) =>
        withConnection(async ({ request }) => {
          const changed = await request('upstreams.setEnabled', { name, enabled });
          print(json, changed, () => [enabled ? `${name} is switched on.` : `${name} is switched off.`]);
        }),
      );
  }
}

const healthCells = ({ name, state, startedAt, links, lastError }: ServerHealth): readonly string[] => [
  name,
  state,
  startedAt === undefined ? 'not started yet' : `started ${new Date(startedAt).toISOString()}`,
  `${links} open`,
  lastError ? `${new Date(lastError.at).toISOString()} ${lastError.message}` : '',
];

const logLine = ({ at, kind, text, times }: ServerLogLine): string => oneLine(`${new Date(at).toISOString()} ${kind === 'stderr' ? '|' : '*'} ${text}${times > 1 ? ` (${times} times)` : ''}`);
