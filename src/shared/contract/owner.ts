import { z } from 'zod';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

const Passphrase = z.string().min(1).max(1024);

export const OwnerStatus = z.object({
  /** False until the owner set a passphrase; on real networks nothing can be paid before. */
  passphraseSet: z.boolean(),
  /** True where an owner session is needed to decide and to change things: real networks, headless page and command line. */
  sessionNeeded: z.boolean(),
  /** When this connection's owner session ends; absent without one. */
  sessionUntil: Timestamp.optional(),
  locked: z.boolean(),
});
export type OwnerStatus = z.infer<typeof OwnerStatus>;

export const ownerRoutes = {
  'owner.status': route('read', Empty, OwnerStatus),
  /** First passphrase of a data folder: at least 8 characters. Throws `FORBIDDEN` when one is set. */
  'owner.setPassphrase': route('read', z.object({ passphrase: z.string().min(8).max(1024) }), OwnerStatus),
  /** Unlocks the keys and opens an owner session of 15 minutes on this connection. Throws `PASSPHRASE_WRONG`. */
  'owner.unlock': route('read', z.object({ passphrase: Passphrase }), OwnerStatus),
  /** Locks the keys and ends every owner session. */
  'owner.lock': route('read', Empty, OwnerStatus),
} as const;
