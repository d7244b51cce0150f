import { z } from 'zod';
import { route } from './route.ts';
import { FeeView, MoneyView, Timestamp } from './values.ts';

/** Who gets the money. */
const Target = z.union([z.strictObject({ address: z.string().min(1).max(100) }), z.strictObject({ contact: z.number().int().min(1) })]);

const SendInput = z.object({
  to: Target,
  /** Whole tokens: `1.50`. */
  amount: z.string().min(1).max(100),
  /** Symbol of a token or of a network's coin; USDC without it. */
  token: z.string().min(1).max(20).optional(),
  /** By its CAIP-2 id or its name; the first that fits without it. */
  network: z.string().min(1).max(64).optional(),
  memo: z.string().max(500).default(''),
  /** Address of the account that is to pay; the owner's order of accounts without it. */
  from: z.string().min(1).max(100).optional(),
});

export const SendQuote = z.object({
  /** Who gets it, in words: an address, or `contact 3 (Ada)`. */
  recipient: z.string(),
  paymentType: z.enum(['direct', 'escrow']),
  /** Empty where the account is made for this payment alone, when it is sent. */
  payee: z.string(),
  /** By escrow: until when it can be claimed. */
  claimableUntil: Timestamp.optional(),
  money: MoneyView,
  /** Network fee and rent, at most. */
  fees: z.array(FeeView),
  payer: z.string(),
  payerLabel: z.string(),
  /** What the owner should know before it is sent, in sentences. */
  warnings: z.array(z.string()),
  /** Networks on which it could be sent instead. */
  others: z.array(z.string()),
});
export type SendQuote = z.infer<typeof SendQuote>;

export const SentView = z.object({
  paymentId: z.string(),
  /** Id of the transaction on its network. */
  transaction: z.string(),
  paymentType: z.enum(['direct', 'escrow']),
  escrowId: z.string().optional(),
  recipient: z.string(),
  payee: z.string(),
  money: MoneyView,
  sentAt: Timestamp,
});
export type SentView = z.infer<typeof SentView>;

export const sendRoutes = {
  /**
   * What a send of the owner's own would cost now, and what speaks against it; sends nothing. Throws `ADDRESS_INVALID`, `AMOUNT_INVALID`,
   * `NETWORK_UNSUPPORTED`, `ASSET_UNKNOWN`, `PAYEE_INVALID`, `CONTACT_UNPAYABLE`, `INSUFFICIENT_BALANCE`, `CHAIN_UNREACHABLE`, `WALLET_LOCKED`.
   */
  'sends.quote': route('owner', SendInput, SendQuote),
  /**
   * Sends, by the road of every payment: the owner's policy holds, and the approval page asks as it does for an agent. Throws besides
   * `PAYMENT_PENDING` while the owner has not decided, and what a payment is refused with. The same request again goes on with it.
   */
  'sends.send': route('owner', SendInput, SentView),
} as const;
