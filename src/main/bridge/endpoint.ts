import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Socket addresses hold about 104 bytes on macOS and 108 on Linux, with the closing zero. */
const SOCKET_PATH_BYTES = 100;
const KEY_BYTES = 32;

/** Exit code of an app that found its data folder in use: the other instance serves whoever started this one. */
export const HOME_IN_USE_EXIT = 3;

/** How the shim starts the app. Written by the app, so that the shim starts the same one again. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const runDir = (home: string): string => join(resolve(home), 'run');
const addressFile = (home: string): string => join(runDir(home), 'socket.path');
const keyFile = (home: string): string => join(runDir(home), 'socket.key');
const launchFile = (home: string): string => join(runDir(home), 'launch.json');

/**
 * Where the app of this home listens. A long home (and Windows, whose pipes have a random name) keeps the address in a
 * file, because a client may give its shim another temporary folder than the app has.
 */
export function socketPath(home: string): string {
  return readIfThere(addressFile(home)) ?? join(runDir(home), 'bursar.sock');
}

/** The secret that app and shim share, or `undefined` where the app has never run. */
export function socketKey(home: string): Buffer | undefined {
  const text = readIfThere(keyFile(home));
  const key = text === undefined ? undefined : Buffer.from(text, 'hex');
  return key?.length === KEY_BYTES ? key : undefined;
}

/** Where the app's standard error goes while a shim starts it. */
export const startLogPath = (home: string): string => join(runDir(home), 'start.log');

/** How to start the app, or `undefined` where it has left no word. */
export function launchCommand(home: string): LaunchCommand | undefined {
  const text = readIfThere(launchFile(home));
  if (text === undefined) return undefined;
  const value = JSON.parse(text) as Partial<LaunchCommand>;
  const { command, args, env } = value;
  if (typeof command !== 'string' || !Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) return undefined;
  return { command, args, ...(env === undefined ? {} : { env }) };
}

/** Leaves word how to start this app again. Call it after {@link prepareEndpoint}. */
export function writeLaunchCommand(home: string, launch: LaunchCommand): void {
  writePrivate(launchFile(home), JSON.stringify(launch));
}

/**
 * Makes the folder, the secret and the address for the app that is about to listen, and removes a dead socket. Only the
 * process that holds the home's lock may call it.
 */
export function prepareEndpoint(home: string, platform: NodeJS.Platform = process.platform): { readonly path: string; readonly key: Buffer } {
  const dir = runDir(home);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  let key = socketKey(home);
  if (key === undefined) {
    key = randomBytes(KEY_BYTES);
    writePrivate(keyFile(home), key.toString('hex'));
  }
  const path = chooseAddress(home, platform);
  if (path === join(dir, 'bursar.sock')) rmSync(addressFile(home), { force: true });
  else writePrivate(addressFile(home), path);
  if (platform !== 'win32') rmSync(path, { force: true });
  return { path, key };
}

function chooseAddress(home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return `\\\\.\\pipe\\bursar-${randomBytes(16).toString('hex')}`;
  const natural = join(runDir(home), 'bursar.sock');
  if (Buffer.byteLength(natural) <= SOCKET_PATH_BYTES) return natural;
  const name = `bursar-${process.getuid?.() ?? 0}`;
  const hash = createHash('sha256').update(resolve(home)).digest('hex').slice(0, 16);
  const short = join(tmpdir(), name, `${hash}.sock`);
  const path = Buffer.byteLength(short) <= SOCKET_PATH_BYTES ? short : join('/tmp', name, `${hash}.sock`);
  privateDir(join(path, '..'));
  return path;
}

/** In a folder that everyone may write to, someone else could have made ours first. */
function privateDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(dir);
  const isDirectory = lstatSync(dir).isDirectory();
  if (!isDirectory || uid !== process.getuid?.() || (mode & 0o077) !== 0) throw new Error(`${dir} is not a private folder of this user`);
}

function writePrivate(path: string, text: string): void {
  const next = `${path}.next`;
  rmSync(next, { force: true });
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  renameSync(next, path);
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
