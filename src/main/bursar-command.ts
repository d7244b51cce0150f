import type { Environment } from '../shared/contract/app.ts';
import { locateHome } from './adapters/home/home.ts';
import { installedCommand } from './program-files.ts';

/**
 * The command line that reaches a data folder: `npm run -s bursar -- --home DIR upstream list`, or, where Bursar is installed, its own Node
 * and command line in place of npm's. Without words it is what they go after. `file` is one of the running program.
 */
export function bursarCommand(words: string, { folder, environment }: { readonly folder: string; readonly environment: Environment }, file = import.meta.filename): string {
  // BURSAR_HOME counts as another folder: the next terminal may not have it.
  const isDefault = folder === locateHome({ environment, env: { ...process.env, BURSAR_HOME: undefined } });
  const where = !isDefault ? [`--home ${quoted(folder)}`] : environment === 'sandbox' ? [] : [`--network ${environment}`];
  const installed = installedCommand(file);
  return [installed ? `${quoted(installed.node)} ${quoted(installed.cli)}` : 'npm run -s bursar --', ...where, ...(words === '' ? [] : [words])].join(' ');
}

const quoted = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);
