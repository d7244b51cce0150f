import { z } from 'zod';
import { AccountId, Label, SeedId } from './accounts.ts';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

const Passphrase = z.string().min(1).max(1024);

export const SeedView = z.object({
  /** `main` is the wallet's own. */
  id: z.string(),
  label: z.string(),
  words: z.number().int(),
  addedAt: Timestamp,
  /** When its words were last shown; absent where they never were, so that nobody can have written them down. */
  revealedAt: Timestamp.optional(),
});
export type SeedView = z.infer<typeof SeedView>;

/**
 * What shows or moves the secrets themselves. Each such request carries the owner's passphrase, which is checked then and there, slower after
 * every wrong one; a session does not stand for it. Where no passphrase is set, `FORBIDDEN`.
 */
export const secretRoutes = {
  'seeds.list': route('read', Empty, z.object({ seeds: z.array(SeedView) })),
  /** The words of a seed, in order. Throws `NOT_FOUND`, `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`, `WALLET_LOCKED`. */
  'seeds.reveal': route('owner', z.object({ seed: SeedId.default('main'), passphrase: Passphrase }), z.object({ words: z.array(z.string()) })),
  /** Forgets an imported seed with its accounts for good; `confirm` is its label. Throws as `accounts.remove` does. */
  'seeds.remove': route('owner', z.object({ seed: SeedId, confirm: Label, passphrase: Passphrase }), Empty),
  /** The private key of one account: hex for EVM, `base58` or `keypair` (JSON array of 64 bytes) for Solana. Throws `ACCOUNT_MISSING`, `INPUT_INVALID`, and as `seeds.reveal`. */
  'accounts.export': route('owner', z.object({ accountId: AccountId, form: z.enum(['hex', 'base58', 'keypair']), passphrase: Passphrase }), z.object({ secret: z.string() })),
  /**
   * Puts every item of the keychain also under the owner's passphrase: then neither alone opens one, and Bursar starts locked. Offered with real
   * money. Throws `FORBIDDEN` where the keys lie in a vault, which is encrypted by itself; else as `seeds.reveal`.
   */
  'keys.seal': route('owner', z.object({ passphrase: Passphrase }), Empty),
  /** When the last backup was made; absent where none ever was. */
  'backup.status': route('read', Empty, z.object({ lastAt: Timestamp.optional() })),
  /**
   * Everything of the data folder in one encrypted file: keys, policy, ledger, servers with their secrets, clients, configuration. It opens with
   * the owner's passphrase, or with `filePassphrase`; that one is also the passphrase of the folder that is restored from it. `path` is absolute,
   * on the machine that Bursar runs on, and names no file yet. Throws `INPUT_INVALID`, `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`, `WALLET_LOCKED`, `DISK_FULL`.
   */
  'backup.create': route(
    'owner',
    z.object({ path: z.string().min(1).max(4096), passphrase: Passphrase, filePassphrase: z.string().min(8).max(1024).optional() }),
    z.object({ path: z.string(), bytes: z.number().int(), createdAt: Timestamp }),
  ),
  /** The page shows no secret any more: what kept its window out of screenshots ends. It ends by itself after five minutes. */
  'secrets.hidden': route('read', Empty, Empty),
} as const;
