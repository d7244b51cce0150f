import { isAbsolute, normalize } from 'node:path';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Handlers } from '../router.ts';

export interface BackupDeps {
  readonly verifyPassphrase: (passphrase: string) => Promise<void>;
  readonly create: (path: string, passphrase: string, now: number) => Promise<{ readonly bytes: number }>;
  readonly now: () => number;
  /** Notes when a backup was made. */
  readonly made: (at: number) => void;
  readonly lastAt: () => number | undefined;
}

export const backupHandlers = ({ verifyPassphrase, create, now, made, lastAt }: BackupDeps): Pick<Handlers, 'backup.status' | 'backup.create'> => ({
  'backup.status': () => {
    const at = lastAt();
    return at === undefined ? {} : { lastAt: at };
  },
  'backup.create': async ({ path: given, passphrase, filePassphrase = passphrase }) => {
    const path = normalize(given);
    if (!isAbsolute(path)) throw new BursarError('INPUT_INVALID', 'The path of a backup begins at the root of the disk.', { context: { field: 'path' }, hint: 'Give it in full.' });
    await verifyPassphrase(passphrase);
    const createdAt = now();
    const { bytes } = await create(path, filePassphrase, createdAt);
    made(createdAt);
    return { path, bytes, createdAt };
  },
});
