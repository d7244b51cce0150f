import { z } from 'zod';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

export const LedgerStatus = z.object({
  /** What was changed from outside, as sentences; nothing is paid while there is one. */
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
  /** Takes the ledger as it stands; the policy begins anew at its default. Recorded. Throws `WALLET_LOCKED`, `NOT_FOUND` where nothing was found. */
  'ledger.accept': route('owner', Empty, LedgerStatus),
} as const;
