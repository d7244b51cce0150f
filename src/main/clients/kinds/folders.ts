import { posix, win32 } from 'node:path';
import type { ClientPlace, Machine } from './client-spec.ts';

/** Joins as the machine concerned does. */
export const joinOn = ({ platform }: Machine, ...parts: readonly string[]): string => (platform === 'win32' ? win32 : posix).join(...parts);

/** Folder for the configuration of desktop programs: Application Support, `%APPDATA%`, or `$XDG_CONFIG_HOME`. */
export function programFolder(machine: Machine): string {
  const { platform, env, home } = machine;
  if (platform === 'darwin') return joinOn(machine, home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || joinOn(machine, home, 'AppData', 'Roaming');
  return xdgFolder(machine);
}

/** Folder for the configuration of programs that follow XDG everywhere but on Windows. */
export function xdgFolder(machine: Machine): string {
  const { platform, env, home } = machine;
  if (platform === 'win32') return programFolder(machine);
  return env['XDG_CONFIG_HOME'] || joinOn(machine, home, '.config');
}

/** A file whose folder the client makes for itself. */
export const fileIn = (machine: Machine, folder: string, ...file: readonly string[]): ClientPlace => {
  const path = joinOn(machine, folder, ...file);
  return { path, signs: [(machine.platform === 'win32' ? win32 : posix).dirname(path)] };
};
