import type { Command } from 'commander';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** As many as one request gives. */
const MOST = 500;

/** `bursar activity`. */
export function addActivityCommand(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('activity')
    .description(`what was done beside payments, and by whom: the newest ${MOST} entries, newest first`)
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const found = await request('activity.list', { limit: MOST });
        print(json, found, () => found.entries.map(({ at, author, act, subject, outcome }) => [new Date(at).toISOString(), author, act, subject, outcome].filter(Boolean).join('  ')));
      }),
    );
}
