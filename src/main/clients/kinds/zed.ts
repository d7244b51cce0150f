import { plainEntry, type ClientSpec } from './client-spec.ts';
import { fileIn, joinOn, xdgFolder } from './folders.ts';

/** `source` is what older releases ask for; newer ones read the entry with it too. */
export const zed: ClientSpec = {
  kind: 'zed',
  name: 'Zed',
  places: (machine) => [
    machine.platform === 'darwin' ? fileIn(machine, joinOn(machine, machine.home, '.config'), 'zed', 'settings.json') : fileIn(machine, xdgFolder(machine), machine.platform === 'win32' ? 'Zed' : 'zed', 'settings.json'),
  ],
  shape: { format: 'jsonc', key: 'context_servers' },
  entry: (registration) => ({ source: 'custom', ...plainEntry(registration) }),
};
