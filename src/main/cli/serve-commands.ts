import { InvalidArgumentError, Option, type Command } from 'commander';
import { Environment } from '../../shared/contract/app.ts';
import { isBursarError } from '../../shared/errors/errors.ts';
import { locate, type GlobalOptions } from '../locate.ts';
import type { ProgramFiles } from '../program-files.ts';
import { VERSION } from '../version.ts';
import { connect } from './connection.ts';
import { openBrowser } from './open-browser.ts';
import { runServe } from './run-serve.ts';

interface ServeOptions extends GlobalOptions {
  readonly port?: number;
  readonly vault?: boolean;
  readonly json?: boolean;
}

export interface ServeTools {
  readonly files: ProgramFiles;
  readonly globals: () => GlobalOptions;
}

/** `bursar start` for people and `bursar serve` for services: the same, but that `start` opens the dashboard. */
export function addServeCommands(program: Command, { files, globals }: ServeTools): void {
  const add = (name: string, description: string, opens: boolean): void => {
    program
      .command(name)
      .description(description)
      .addOption(new Option('--home <dir>', 'data folder (also BURSAR_HOME)'))
      .addOption(new Option('--network <kind>', 'kind of money').choices(Environment.options))
      .option('--port <number>', 'port on 127.0.0.1 (0: a free one)', port)
      .option('--vault', 'keep the keys of a new data folder in a vault file, not in the keychain')
      .option('--json', 'print one JSON object when ready')
      .action(async (options: ServeOptions) => {
        const location = locate({ ...globals(), ...options }, files);
        const { vault = false, json = false } = options;
        // A script wants to own what it starts, and is told that it cannot.
        if (opens && !json && (await openRunning(location, files))) return;
        await runServe({ ...location, files, version: VERSION, vault, json, opens, ...(options.port !== undefined && { port: options.port }) });
      });
  };
  add('start', 'run Bursar until Ctrl-C and open its dashboard in the browser; where it runs already, only open that', true);
  add('serve', 'run Bursar without a window, for services and scripts: as start, but nothing is opened', false);
}

/** Opens the dashboard of the Bursar that runs on this folder. False where none does. */
async function openRunning({ folder, environment }: ReturnType<typeof locate>, files: ProgramFiles): Promise<boolean> {
  const connection = await connect({ home: folder, network: environment }, files, VERSION, { onlyRunning: true }).catch((error: unknown) => {
    if (isBursarError(error, 'UPSTREAM_UNREACHABLE')) return undefined;
    throw error;
  });
  if (!connection) return false;
  try {
    const { url } = await connection.request('app.dashboard', {});
    process.stdout.write(url === '' ? 'Bursar runs already, in a window of its own.\n' : `Bursar runs already. Its dashboard (this address opens once):\n${url}\n`);
    if (url !== '') openBrowser(url);
    return true;
  } finally {
    await connection.close();
  }
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 65_535) throw new InvalidArgumentError('It has to be a number from 0 to 65535.');
  return number;
}
