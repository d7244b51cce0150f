import { z } from 'zod';
import { route } from './route.ts';
import { Empty, FeeView, MoneyView, Timestamp, UnitsText } from './values.ts';

/** One payment that waits for the owner, with all that is signed if they agree. Texts from the server are cleaned and capped. */
export const ApprovalView = z.object({
  paymentId: z.string(),
  /** Binds the answer to exactly these terms (design, "Terms and instance"). */
  termsDigest: z.string(),
  /** Single use. */
  nonce: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  client: z.string(),
  upstream: z.string(),
  /** How the upstream is reached: its address, or its command line. */
  upstreamAddress: z.string(),
  tool: z.string(),
  /** Arguments of the call as indented JSON. */
  argumentsText: z.string(),
  /** The server's own words for what is bought; may be empty. */
  description: z.string(),
  resource: z.string(),
  /** What the server wants signed along with the payment; empty where there is none. */
  memo: z.string(),
  /** Who pays the network's fee and signs after the owner, where the server names somebody; empty where it does not. */
  feePayer: z.string(),
  /** `unverified`: the client did not prove its name. `plain-text`: the price stood in plain text, which a fetched page could have written. */
  cautions: z.array(z.enum(['unverified', 'plain-text'])),
  money: MoneyView,
  /** What paying costs besides the price, at most: the network's fee, and the rent of what has to be made on it. */
  fees: z.array(FeeView),
  payee: z.string(),
  /** The contact of the owner's whose address the payee is, while contacts can be read. */
  contact: z.object({ number: z.number().int(), name: z.string() }).optional(),
  /** Nothing was ever settled to this payee. */
  firstPayment: z.boolean(),
  payer: z.string(),
  payerLabel: z.string(),
  dialect: z.string(),
  flow: z.enum(['authorize', 'prepay', 'hold']),
  /** The server takes the money before it answers, and keeps it if it then fails (x402 `paymentFlow`: `upfront`). */
  upfront: z.boolean(),
  /** Set where Bursar itself sends, because an agent or the owner says so: no server asks for it. */
  order: z
    .object({
      /** Who gets it, as Bursar knows them: `contact 3 (Ada)`. */
      recipient: z.string(),
      /** The sender's own words. */
      memo: z.string(),
      /** The owner ordered it, and no agent. */
      byOwner: z.boolean(),
      /** The recipient takes it with a link, reads the memo there, and until then it can be taken back. */
      byLink: z.boolean().optional(),
      /** What speaks against it. */
      warnings: z.array(z.string()),
    })
    .optional(),
  /** The rule that asks, in words. */
  rule: z.string(),
  /** What differs from the last settled payment for the same tool. */
  changes: z.array(z.object({ what: z.enum(['payee', 'asset', 'network', 'price']), before: z.string(), now: z.string() })),
  /** What a server put into the conversation before it was asked for, and where it stood; `own` where that server is the one that is paid. */
  origins: z.array(z.object({ what: z.enum(['payee', 'resource', 'arguments']), value: z.string(), where: z.string(), own: z.boolean() })),
  /** This payment in millionths of a US dollar, where a price is known. */
  usdUnits: UnitsText.optional(),
  /** Every cap that counts this payment: what is used before it and the limit, in the smallest parts of the unit (`USD`, `payments` or a token's symbol). */
  budgets: z.array(
    z.object({ label: z.string(), unit: z.string(), decimals: z.number().int().min(0).max(77), usedUnits: UnitsText, thisUnits: UnitsText, limitUnits: UnitsText }),
  ),
  /** Why this tool is not offered to be allowed for more than this payment, in a sentence; empty where it is. */
  notForDays: z.string(),
  /** True while the keys are locked: the owner has to unlock before approving. */
  locked: z.boolean(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** What anyone with a dashboard may know of waiting payments: enough to see that there is one, not to answer it. */
export const WaitingView = ApprovalView.pick({ paymentId: true, createdAt: true, expiresAt: true, client: true, upstream: true, tool: true, money: true });
export type WaitingView = z.infer<typeof WaitingView>;

/** All that the approval page shows, and nothing that an answer takes. */
export const ApprovalFacts = ApprovalView.omit({ termsDigest: true, nonce: true, notForDays: true, locked: true });
export type ApprovalFacts = z.infer<typeof ApprovalFacts>;

export const approvalRoutes = {
  'approvals.waiting': route('read', Empty, z.object({ waiting: z.array(WaitingView) })),
  /** What waits in full, oldest first, for the owner to read; answered is on the approval page alone. */
  'approvals.inFull': route('owner', Empty, z.object({ waiting: z.array(ApprovalFacts) })),
  /** The payment named, else the oldest that waits, in full, and how many wait. `approval` is absent when it does not wait. */
  'approvals.current': route('decide', z.object({ paymentId: z.string().max(64).optional() }), z.object({ approval: ApprovalView.optional(), count: z.number().int() })),
  /** The page tells main what is on screen. Main counts the second from the last change to visible and focused. */
  'approvals.report': route('decide', z.object({ paymentId: z.string().max(64), visible: z.boolean() }), z.object({ answerableAt: Timestamp.optional() })),
  /** Throws `APPROVAL_TOO_EARLY`, `APPROVAL_STALE`, `WALLET_LOCKED`. */
  'approvals.decide': route(
    'decide',
    z.object({ paymentId: z.string().max(64), termsDigest: z.string().max(128), nonce: z.string().max(64), decision: z.enum(['approve', 'reject']) }),
    Empty,
  ),
  /** The owner moved or typed on the approval page: it says so at most once a minute, and never because of an event or a timer of its own. */
  'approvals.active': route('decide', Empty, Empty),
} as const;
