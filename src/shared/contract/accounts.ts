import { z } from 'zod';
import { route } from './route.ts';
import { AssetView, DecimalText, Empty, MoneyView, Timestamp } from './values.ts';

export const AccountView = z.object({
  id: z.string(),
  label: z.string(),
  /** CAIP-2 namespace that its key signs for; `dev` and `stripe` are secrets that pay without a chain. */
  namespace: z.enum(['eip155', 'solana', 'dev', 'stripe']),
  address: z.string(),
  source: z.enum(['seed', 'imported']),
  /** Solana: the wallet whose token accounts it pays from, as their delegate. */
  delegatedFrom: z.string().optional(),
});
export type AccountView = z.infer<typeof AccountView>;

/** What a card is charged with: the seller's publishable key, and a payment method that is attached there. */
export const StripeSecret = z.strictObject({
  publishableKey: z.string().regex(/^pk_(test|live)_[A-Za-z0-9]{4,250}$/, 'begins with pk_test_ or pk_live_'),
  paymentMethod: z.string().regex(/^pm_[A-Za-z0-9_]{1,250}$/, 'begins with pm_'),
  /** Where Stripe's API is reached; `https://api.stripe.com` without it. */
  apiUrl: z.url({ protocol: /^https?$/ }).optional(),
});
export type StripeSecret = z.infer<typeof StripeSecret>;

const Label = z.string().min(1).max(40);
const Address = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'is no Solana address');

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

/** Where money is received: an address, and every enabled network on which it is one. */
export const ReceiveView = z.object({
  accountId: z.string(),
  label: z.string(),
  address: z.string(),
  networks: z.array(z.object({ network: z.string(), name: z.string(), tokens: z.array(z.string()) })),
  /** What to tell whoever sends. */
  warning: z.string(),
});
export type ReceiveView = z.infer<typeof ReceiveView>;

const AlertView = z.object({ asset: AssetView, amount: DecimalText });

export const accountRoutes = {
  'accounts.list': route('read', Empty, z.object({ accounts: z.array(AccountView), balances: z.array(BalanceView) })),
  'accounts.receive': route('read', Empty, z.object({ accounts: z.array(ReceiveView) })),
  /** Tokens of which the owner wants to hear when all accounts together hold less than so many whole ones; `app.status` then warns. */
  'accounts.alerts': route('read', Empty, z.object({ alerts: z.array(AlertView) })),
  /** `asset` is a CAIP-19 id, also of a network's coin; without `amount` the alert ends. Throws `ASSET_UNKNOWN`, `AMOUNT_INVALID`. */
  'accounts.setAlert': route('owner', z.object({ asset: z.string().max(200), amount: DecimalText.optional() }), z.object({ alerts: z.array(AlertView) })),
  /** `secret` is a hex key (EVM) or a Solana keypair (JSON array of 64 bytes, or base58). Throws `KEY_INVALID`, `WALLET_LOCKED`. */
  'accounts.import': route(
    'owner',
    z.object({ namespace: z.enum(['eip155', 'solana']), label: Label, secret: z.string().min(1).max(4096) }),
    AccountView,
  ),
  /** A shared secret of play money, for MPX's `dev-signature`. Throws `INPUT_INVALID` with real money, `WALLET_LOCKED`. */
  'accounts.addDev': route('owner', z.object({ label: Label, secret: z.string().min(1).max(1024) }), AccountView),
  /** A card. Keys of Stripe's live mode go with real money, those of its test mode with play money; `INPUT_INVALID` otherwise. Throws `WALLET_LOCKED`. */
  'accounts.addStripe': route('owner', z.object({ label: Label, stripe: StripeSecret }), AccountView),
  /** Lets a Solana account pay from another wallet's token accounts, which have to name it as delegate; without `owner`, from its own again. */
  'accounts.payFrom': route('owner', z.object({ accountId: z.string().max(64), owner: Address.optional() }), AccountView),
} as const;
