import { z } from 'zod';
import { route } from './route.ts';
import { SendQuote } from './sends.ts';
import { Empty, MoneyView, Timestamp } from './values.ts';

/**
 * How a payment to somebody without a wallet stands.
 * - `created`: written down; nothing was paid. `funding`: being paid.
 * - `funded`: paid, and nobody was told. `notified`: its link was mailed or handed over.
 * - `claimed`: the recipient has it. `refunding`, `refunded`: it goes, or went, back to the account that paid.
 * - `dead`: it was never paid.
 */
export const EscrowState = z.enum(['created', 'funding', 'funded', 'notified', 'claimed', 'refunding', 'refunded', 'dead']);
export type EscrowState = z.infer<typeof EscrowState>;

const EscrowId = z.string().regex(/^esc_[0-9a-f]{1,40}$/, 'give the id of an escrow: esc_…');
const RecipientKind = z.enum(['email', 'sms']);

export const EscrowView = z.object({
  id: EscrowId,
  state: EscrowState,
  kind: RecipientKind,
  /** E-mail address or phone number; empty while the keys are locked. */
  recipient: z.string(),
  /** Name of the contact, where they are one. */
  recipientName: z.string(),
  memo: z.string(),
  money: MoneyView,
  /** The escrow's own account. */
  address: z.string(),
  /** The payment that funds it; empty before there is one. */
  paymentId: z.string(),
  /** What emptied it; empty where the chain has not shown it. */
  transaction: z.string(),
  delivery: z.enum(['none', 'sent', 'failed', 'handed']),
  /** Why the mail could not be sent; empty where it could. */
  deliveryError: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
export type EscrowView = z.infer<typeof EscrowView>;

/** A link that its holder can take the money with, and messages in which the owner can send it. */
export const ClaimMessage = z.object({ id: EscrowId, link: z.string(), subject: z.string(), text: z.string(), mailto: z.string(), sms: z.string() });
export type ClaimMessage = z.infer<typeof ClaimMessage>;

const EscrowSend = z.object({
  kind: RecipientKind,
  to: z.string().min(1).max(320),
  amount: z.string().min(1).max(100),
  token: z.string().min(1).max(20).optional(),
  network: z.string().min(1).max(64).optional(),
  memo: z.string().max(500).default(''),
  /** Address of the account that is to pay. */
  from: z.string().min(1).max(100).optional(),
});

export const EscrowSent = z.object({ paymentId: z.string(), transaction: z.string(), escrow: EscrowView });
export type EscrowSent = z.infer<typeof EscrowSent>;

const Host = z.string().min(1).max(253).regex(/^[A-Za-z0-9.:_-]+$/, 'give the name of a mail server');
const MailInput = z.object({
  host: Host,
  port: z.number().int().min(1).max(65_535),
  /** TLS from the first byte; without it STARTTLS is required. */
  secure: z.boolean().default(false),
  /** No TLS at all: for a server on this machine. */
  plain: z.boolean().default(false),
  user: z.string().max(320).default(''),
  password: z.string().max(1000).default(''),
  from: z.string().min(3).max(320),
});

const ClaimSettings = z.object({
  /** Where the claim page lies; empty while none is named. */
  pageUrl: z.string(),
  /** Days after which unclaimed money goes back. */
  expiryDays: z.number(),
  /** The mail server without its password; null where none is set, or while the keys are locked. */
  mail: z.object({ host: z.string(), port: z.number(), secure: z.boolean(), plain: z.boolean(), user: z.string(), from: z.string() }).nullable(),
});
export type ClaimSettings = z.infer<typeof ClaimSettings>;

/** What the claim page needs besides its link. */
export const ClaimPageConfig = z.object({
  facilitators: z.record(z.string(), z.array(z.string())),
  /** RPC servers by network: Solana cannot be claimed without one; on EVM networks they only tell who emptied an escrow. */
  rpcUrls: z.record(z.string(), z.array(z.string())),
});
export type ClaimPageConfig = z.infer<typeof ClaimPageConfig>;

export const Claimed = z.object({ money: MoneyView, to: z.string(), transaction: z.string(), networkName: z.string() });
export type Claimed = z.infer<typeof Claimed>;

export const escrowRoutes = {
  /** What `escrows.send` would cost now; sends nothing. Throws what `sends.quote` does, `RECIPIENT_INVALID` and `CLAIM_PAGE_MISSING`. */
  'escrows.quote': route('owner', EscrowSend, SendQuote),
  /** Sends to an e-mail address or a phone number, by the road of every payment. Throws what `sends.send` does, `RECIPIENT_INVALID` and `CLAIM_PAGE_MISSING`. */
  'escrows.send': route('owner', EscrowSend, EscrowSent),
  /** The newest payments to people without a wallet. */
  'escrows.list': route('read', z.object({ limit: z.number().int().min(1).max(1000).default(100) }), z.object({ escrows: z.array(EscrowView) })),
  /** Takes the money back. Throws `NOT_FOUND`, `CLAIM_GONE` where it was claimed, `FACILITATOR_ERROR`, `SETTLEMENT_FAILED`, `WALLET_LOCKED`. */
  'escrows.refund': route('owner', z.object({ id: EscrowId }), EscrowView),
  /** Mails the link again. Throws `MAIL_FAILED`, `CLAIM_GONE`, `CLAIM_EXPIRED`, `CLAIM_PAGE_MISSING`, `NOT_FOUND`, `WALLET_LOCKED`. */
  'escrows.resend': route('owner', z.object({ id: EscrowId }), EscrowView),
  /** The link, for the owner to hand over. Throws `CLAIM_GONE`, `CLAIM_EXPIRED`, `CLAIM_PAGE_MISSING`, `NOT_FOUND`, `WALLET_LOCKED`. */
  'escrows.link': route('owner', z.object({ id: EscrowId }), ClaimMessage),
  /** Claims what somebody else sent. Throws `CLAIM_LINK_INVALID`, `CLAIM_EXPIRED`, `CLAIM_GONE`, `ADDRESS_INVALID`, `NETWORK_UNSUPPORTED`, and what settling throws. */
  'escrows.claim': route('owner', z.object({ link: z.string().min(1).max(20_000), to: z.string().min(1).max(100) }), Claimed),
  'escrows.settings': route('read', Empty, ClaimSettings),
  /** Throws `INPUT_INVALID` for an address that is not https, but on this machine. */
  'escrows.setPage': route('owner', z.object({ pageUrl: z.string().max(2000), expiryDays: z.number().int().min(1).max(365).optional() }), ClaimSettings),
  /** Null removes it. Throws `INPUT_INVALID` for a server without TLS that is not on this machine. */
  'escrows.setMail': route('owner', z.object({ mail: MailInput.nullable() }), ClaimSettings),
  /** Signs in and, where an address is given, sends a mail to it. Throws `MAIL_FAILED`, `NOT_FOUND` where no server is set. */
  'escrows.testMail': route('owner', z.object({ to: z.string().max(320).optional() }), Empty),
  'escrows.pageConfig': route('read', Empty, ClaimPageConfig),
} as const;
