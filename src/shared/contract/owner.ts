import { z } from 'zod';
import { route } from './route.ts';
import { MnemonicText } from './accounts.ts';
import { Empty, Timestamp } from './values.ts';

const Passphrase = z.string().min(1).max(1024);

export const OwnerStatus = z.object({
  /** False until the owner set a passphrase; on real networks nothing can be paid before. */
  passphraseSet: z.boolean(),
  /** True where an owner session is needed to decide and to change things: real networks, headless page and command line. */
  sessionNeeded: z.boolean(),
  /** True where the first passphrase needs the setup code from the terminal: none is set, and other programs reach this surface too. */
  setupCodeNeeded: z.boolean().optional(),
  /** When this connection's owner session ends; absent without one. */
  sessionUntil: Timestamp.optional(),
  locked: z.boolean(),
  /** The keys are locked after so many minutes without an act of the owner; 0: never. */
  lockAfterMinutes: z.number().int().optional(),
});
export type OwnerStatus = z.infer<typeof OwnerStatus>;

export const ownerRoutes = {
  'owner.status': route('read', Empty, OwnerStatus),
  /**
   * First passphrase of a data folder: at least 8 characters, with the setup code of this run but in Electron's own window. Throws `FORBIDDEN`
   * when one is set, `SETUP_CODE_WRONG`. `words` restore an earlier wallet: they become the seed where there is none yet, else they come beside
   * it, and accounts that never paid are hidden. Wrong words (`MNEMONIC_INVALID`, `MNEMONIC_CHECKSUM`) set nothing.
   */
  'owner.setPassphrase': route('read', z.object({ passphrase: z.string().min(8).max(1024), code: z.string().max(64).optional(), words: MnemonicText.optional() }), OwnerStatus),
  /** Unlocks the keys and opens an owner session of 15 minutes on this connection. Throws `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`. */
  'owner.unlock': route('read', z.object({ passphrase: Passphrase }), OwnerStatus),
  /** Locks the keys and ends every owner session. */
  'owner.lock': route('read', Empty, OwnerStatus),
  /** Sets after how many minutes without an act of the owner the keys are locked; 0: never. */
  'owner.setLockAfter': route('owner', z.object({ minutes: z.int().min(0).max(10_080) }), OwnerStatus),
  /** The owner moved or typed on a page: a page says so at most once a minute, and never because of an event or a timer of its own. */
  'owner.active': route('owner', Empty, Empty),
} as const;
