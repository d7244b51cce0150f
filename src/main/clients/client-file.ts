import { BursarError } from '../../shared/errors/errors.ts';
import { isThere } from './config-file.ts';
import type { ConfigShape } from './formats/config-format.ts';
import type { ClientPlace, ClientSpec, Machine } from './kinds/client-spec.ts';

/** The file of a client on this machine, which may not be there yet. */
export interface ClientFile extends ClientPlace {
  readonly shape: ConfigShape;
}

/** True where the client is installed, or was. */
export async function isInstalled({ signs }: Pick<ClientFile, 'signs'>): Promise<boolean> {
  return (await Promise.all(signs.map(isThere))).includes(true);
}

/** The place that is in use: the first with a file, else the first with a sign, else the first. */
export async function clientFile({ kind, places, shape }: ClientSpec, machine: Machine): Promise<ClientFile> {
  const all = places(machine);
  const [first] = all;
  if (!first) throw new BursarError('INTERNAL', `There is no place for the client ${kind}.`);
  const present = await Promise.all(all.map(({ path }) => isThere(path)));
  const installed = await Promise.all(all.map(isInstalled));
  return { ...(all[present.indexOf(true)] ?? all[installed.indexOf(true)] ?? first), shape };
}

/** Throws `NOT_FOUND` where the client is not installed. */
export async function requireInstalled(file: ClientFile): Promise<void> {
  if (await isInstalled(file)) return;
  throw new BursarError('NOT_FOUND', `There is no sign of the client to which ${file.path} belongs.`, { hint: 'Start the client once, then try again.' });
}
