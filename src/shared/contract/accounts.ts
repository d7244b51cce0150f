import { z } from 'zod';
import { route } from './route.ts';
import { AssetView, DecimalText, Empty, MoneyView, Timestamp } from './values.ts';

export const AccountView = z.object({
  id: z.string(),
  label: z.string(),
  /** CAIP-2 namespace that its key signs for; `dev` and `stripe` are secrets that pay without a chain. */
  namespace: z.enum(['eip155', 'solana', 'dev', 'stripe']),
  address: z.string(),
  /** `watch`: an address alone; it is shown and never pays. */
  source: z.enum(['seed', 'imported', 'watch']),
  /** Id of the seed that it derives from, and its path there. */
  seed: z.string().optional(),
  path: z.string().optional(),
  /** True for one that the owner put out of sight: it does not pay. */
  hidden: z.literal(true).optional(),
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

export const Label = z.string().trim().min(1).max(40);
/** What is no id is refused without being repeated: it may be a secret in the wrong field. */
const Id = z.string().regex(/^[0-9a-z-]{1,40}$/, 'is not an id of Bursar');
export const AccountId = Id;
export const SeedId = Id;
/** As it was written down or copied; see `parseMnemonic`. */
export const MnemonicText = z.string().min(1).max(2048);
const Namespace = z.enum(['eip155', 'solana']);
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
  /** `all`: hidden ones too. */
  'accounts.list': route('read', z.object({ all: z.boolean().default(false) }), z.object({ accounts: z.array(AccountView), balances: z.array(BalanceView) })),
  'accounts.receive': route('read', Empty, z.object({ accounts: z.array(ReceiveView) })),
  /** Tokens of which the owner wants to hear when all accounts together hold less than so many whole ones; `app.status` then warns. */
  'accounts.alerts': route('read', Empty, z.object({ alerts: z.array(AlertView) })),
  /** `asset` is a CAIP-19 id, also of a network's coin; without `amount` the alert ends. Throws `ASSET_UNKNOWN`, `AMOUNT_INVALID`. */
  'accounts.setAlert': route('owner', z.object({ asset: z.string().max(200), amount: DecimalText.optional() }), z.object({ alerts: z.array(AlertView) })),
  /**
   * `secret` is a hex key (EVM) or a Solana keypair: JSON array of 64 bytes, base58, or an encrypted keypair file, which `filePassphrase` opens.
   * An account that was watched pays from then on. Throws `KEY_INVALID`, `KEY_FILE_UNSUPPORTED`, `PASSPHRASE_WRONG`, `WALLET_LOCKED`.
   */
  'accounts.import': route(
    'owner',
    z.object({ namespace: Namespace, label: Label, secret: z.string().min(1).max(4096), filePassphrase: z.string().max(1024).optional() }),
    AccountView,
  ),
  /**
   * Another wallet's words, beside what is here: their first account of each kind is added. Throws `MNEMONIC_INVALID` (`context.places`: which
   * words, from 1; `context.near`), `MNEMONIC_CHECKSUM`, `KEY_INVALID` where they are here already, `WALLET_LOCKED`.
   */
  'accounts.importMnemonic': route('owner', z.object({ label: Label, words: MnemonicText }), z.object({ accounts: z.array(AccountView) })),
  /** Another account of a seed: the next number without `index`. Throws `NOT_FOUND`, `KEY_INVALID` where it is here already, `WALLET_LOCKED`. */
  'accounts.derive': route('owner', z.object({ namespace: Namespace, label: Label, seed: SeedId.optional(), index: z.int().min(0).max(2 ** 31 - 1).optional() }), AccountView),
  /** An address whose key lies elsewhere. Throws `INPUT_INVALID` for a wrong address or checksum, `KEY_INVALID` where it is here already. */
  'accounts.watch': route('owner', z.object({ namespace: Namespace, label: Label, address: z.string().max(100) }), AccountView),
  /** Throws `ACCOUNT_MISSING`. */
  'accounts.rename': route('owner', z.object({ accountId: AccountId, label: Label }), AccountView),
  /** Out of sight, where it does not pay, or back; its key stays. Throws `ACCOUNT_MISSING`, `ACCOUNT_IN_USE` while its money can still move. */
  'accounts.hide': route('owner', z.object({ accountId: AccountId, hidden: z.boolean() }), AccountView),
  /**
   * Forgets an account and its key for good; one of a seed can only be hidden. `confirm` is its address. A key pair needs the passphrase, checked
   * here. Throws `ACCOUNT_MISSING`, `ACCOUNT_IN_USE`, `FORBIDDEN`, `INPUT_INVALID`, `PASSPHRASE_WRONG`, `WALLET_LOCKED`.
   */
  'accounts.remove': route('owner', z.object({ accountId: AccountId, confirm: z.string().max(200), passphrase: z.string().max(1024).optional() }), Empty),
  /** A shared secret of play money, for MPX's `dev-signature`. Throws `INPUT_INVALID` with real money, `WALLET_LOCKED`. */
  'accounts.addDev': route('owner', z.object({ label: Label, secret: z.string().min(1).max(1024) }), AccountView),
  /** A card. Keys of Stripe's live mode go with real money, those of its test mode with play money; `INPUT_INVALID` otherwise. Throws `WALLET_LOCKED`. */
  'accounts.addStripe': route('owner', z.object({ label: Label, stripe: StripeSecret }), AccountView),
  /** Lets a Solana account pay from another wallet's token accounts, which have to name it as delegate; without `owner`, from its own again. */
  'accounts.payFrom': route('owner', z.object({ accountId: AccountId, owner: Address.optional() }), AccountView),
} as const;
