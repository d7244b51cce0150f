import type { Environment } from '../shared/contract/app.ts';
import { locateHome } from './adapters/home/home.ts';

/** The command line that reaches a data folder from a checkout: `npm run -s bursar -- --home DIR upstream list`. */
export function bursarCommand(words: string, { folder, environment }: { readonly folder: string; readonly environment: Environment }): string {
  // BURSAR_HOME counts as another folder: the next terminal may not have it.
  const isDefault = folder === locateHome({ environment, env: { ...process.env, BURSAR_HOME: undefined } });
  const where = !isDefault ? [`--home ${/\s/.test(folder) ? `"${folder}"` : folder}`] : environment === 'sandbox' ? [] : [`--network ${environment}`];
  return ['npm run -s bursar --', ...where, words].join(' ');
}
