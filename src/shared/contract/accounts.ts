import { z } from 'zod';
import { route } from './route.ts';
import { AssetView, Empty, MoneyView, Timestamp } from './values.ts';

export const AccountView = z.object({
  id: z.string(),
  label: z.string(),
  /** CAIP-2 namespace that its key signs for. */
  namespace: z.enum(['eip155', 'solana']),
  address: z.string(),
  source: z.enum(['seed', 'imported']),
});
export type AccountView = z.infer<typeof AccountView>;

export const BalanceView = z.object({
  accountId: z.string(),
  asset: AssetView,
  /** Absent until the network answered once. */
  balance: MoneyView.optional(),
  readAt: Timestamp.optional(),
  /** True when the last reading failed or is older than a minute. */
  stale: z.boolean(),
});
export type BalanceView = z.infer<typeof BalanceView>;

export const accountRoutes = {
  'accounts.list': route('read', Empty, z.object({ accounts: z.array(AccountView), balances: z.array(BalanceView) })),
  /** `secret` is a hex key (EVM) or a Solana keypair (JSON array of 64 bytes, or base58). Throws `KEY_INVALID`, `WALLET_LOCKED`. */
  'accounts.import': route(
    'owner',
    z.object({ namespace: z.enum(['eip155', 'solana']), label: z.string().min(1).max(40), secret: z.string().min(1).max(4096) }),
    AccountView,
  ),
} as const;
