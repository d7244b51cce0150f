import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Check } from '../../shared/contract/app.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import { readConfig, type Config } from '../adapters/home/config.ts';
import { homePaths } from '../adapters/home/home.ts';

const OTHERS = 0o077;

export const checkNode = (): Check => ({ name: 'node', state: 'ok', text: `Node ${process.versions.node} at ${process.execPath}.`, todo: '' });

/** Whether the folder is this user's and nobody else can read it. Windows protects it by the user's profile. */
export function checkFolder(folder: string): Check {
  const check = { name: 'folder' };
  if (!existsSync(folder)) return { ...check, state: 'fail', text: `There is no data folder at ${folder}.`, todo: 'Correct --home or --network, or start Bursar there once: npm start.' };
  if (process.platform === 'win32') return { ...check, state: 'ok', text: `${folder} is there.`, todo: '' };
  const { config, database, vault, vaultPassphrase, run } = homePaths(folder);
  const runFiles = existsSync(run) ? readdirSync(run).map((name) => join(run, name)) : [];
  const all = [folder, config, database, vault, vaultPassphrase, run, ...runFiles].filter((path) => existsSync(path)).map((path) => ({ path, info: statSync(path) }));
  const uid = process.getuid?.();
  const foreign = all.filter(({ info }) => info.uid !== uid).map(({ path }) => path);
  if (foreign.length > 0) return { ...check, state: 'fail', text: `Not all of it belongs to you: ${foreign.join(', ')}.`, todo: `Make it yours: chown -R "$(id -un)" ${folder}` };
  if ((statSync(folder).mode & OTHERS) !== 0) return { ...check, state: 'fail', text: `Other users can enter ${folder}.`, todo: `Close it: chmod 700 ${folder}` };
  const open = all.filter(({ info }) => (info.mode & OTHERS) !== 0).map(({ path }) => path);
  if (open.length > 0) return { ...check, state: 'warn', text: `The folder keeps other users out, but these files alone would not: ${open.join(', ')}.`, todo: `Close them: chmod go= ${open.join(' ')}` };
  return { ...check, state: 'ok', text: `${folder} is yours alone.`, todo: '' };
}

export function checkConfig(folder: string): { readonly check?: Check; readonly config?: Config } {
  const name = 'config';
  try {
    const config = readConfig(homePaths(folder).config);
    if (config) return { config, check: { name, state: 'ok', text: `config.json is for ${config.environment}, port ${config.port}.`, todo: '' } };
    return existsSync(folder) ? { check: { name, state: 'warn', text: 'There is no config.json yet.', todo: 'Start Bursar there once: npm start.' } } : {};
  } catch (error) {
    const { message, hint } = toErrorInfo(error);
    return { check: { name, state: 'fail', text: message, todo: hint } };
  }
}

/** Whether the port could be had now, where nothing of Bursar's runs on this folder. */
export async function checkPort(port: number): Promise<Check> {
  const name = 'port';
  const server = createServer();
  const problem = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
  if (problem === undefined) return { name, state: 'ok', text: port === 0 ? 'Bursar takes a free port at its start.' : `Port ${port} is free.`, todo: '' };
  return { name, state: 'warn', text: `Port ${port} cannot be had (${problem}), so clients that use HTTP would not reach Bursar.`, todo: 'Stop the program that has it, or start once with --port N and correct your HTTP clients.' };
}
