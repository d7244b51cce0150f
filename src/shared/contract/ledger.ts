import { z } from 'zod';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

/**
 * Why nothing is paid, the worst first: rows or policy were changed from outside, the ledger came out of a backup, or settings that say whose word
 * counts (RPC servers, facilitators, claim page) were changed outside Bursar.
 */
export const LedgerCause = z.enum(['tampered', 'restored', 'settings', 'none']);
export type LedgerCause = z.infer<typeof LedgerCause>;

export const LedgerStatus = z.object({
  cause: LedgerCause,
  /** True where settings can be put back as the owner had them, whatever else was found. */
  canPutBack: z.boolean(),
  /** What was found, as sentences; nothing is paid while there is one. */
  findings: z.array(z.string()),
  /** False until the wallet was unlocked once since the start: the ledger is compared with the keys then. */
  verified: z.boolean(),
  /** What the owner accepted before. */
  acceptances: z.array(z.object({ at: Timestamp, author: z.string(), findings: z.array(z.string()) })),
});
export type LedgerStatus = z.infer<typeof LedgerStatus>;

export const ledgerRoutes = {
  'ledger.status': route('read', Empty, LedgerStatus),
  /** Reads the whole ledger. Throws `WALLET_LOCKED` while it cannot be compared with the keys. */
  'ledger.verify': route('owner', Empty, LedgerStatus.extend({ entries: z.number().int(), payments: z.number().int() })),
  /** Takes ledger and settings as they stand; where rows or policy were changed the policy begins anew at its default. Recorded. Throws `WALLET_LOCKED`, `NOT_FOUND` where nothing was found. */
  'ledger.accept': route('owner', Empty, LedgerStatus),
  /** Puts the settings back that were changed outside Bursar. Throws `WALLET_LOCKED`, `NOT_FOUND` where none was, or no copy is left. */
  'settings.putBack': route('owner', Empty, LedgerStatus),
} as const;
