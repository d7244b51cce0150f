import { existsSync, readFileSync } from 'node:fs';
import { Environment } from '../shared/contract/app.ts';
import { homePaths, locateHome } from './adapters/home/home.ts';
import type { ProgramFiles } from './program-files.ts';

export interface GlobalOptions {
  readonly home?: string;
  readonly network?: Environment;
}

/**
 * The folder and kind of money that a command is about: what was said, else what the folder's configuration says, else play money; test
 * networks where the program was installed without the sandbox.
 */
export function locate({ home, network }: GlobalOptions, { sandbox }: Pick<ProgramFiles, 'sandbox'>): { readonly folder: string; readonly environment: Environment } {
  const given = home ?? process.env['BURSAR_HOME'];
  const environment = network ?? (given ? environmentOf(given) : undefined) ?? (existsSync(sandbox) ? 'sandbox' : 'testnet');
  return { folder: locateHome({ environment, ...(given !== undefined && { home: given }) }), environment };
}

/** Only peeks: whoever opens the folder reads its configuration strictly. */
function environmentOf(folder: string): Environment | undefined {
  const { config } = homePaths(folder);
  if (!existsSync(config)) return undefined;
  try {
    return Environment.safeParse((JSON.parse(readFileSync(config, 'utf8')) as { environment?: unknown }).environment).data;
  } catch {
    return undefined;
  }
}
