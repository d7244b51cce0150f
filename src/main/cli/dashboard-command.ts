import type { Command } from 'commander';
import { BursarError } from '../../shared/errors/errors.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar dashboard`. */
export function addDashboardCommand(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('dashboard')
    .description('print an address that opens the dashboard once')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(
        async ({ request }) => {
          const { url } = await request('app.dashboard', {});
          if (url === '') throw new BursarError('NOT_FOUND', 'Bursar runs in Electron and has no address for a browser.', { hint: 'Its window is open, or opens from the tray.' });
          print(json, { url }, () => [url]);
        },
        { onlyRunning: true },
      ),
    );
}
