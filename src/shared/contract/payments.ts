import { z } from 'zod';
import { route } from './route.ts';
import { AssetView, DecimalText, Empty, MoneyView, ServerName, Timestamp, UnitsText } from './values.ts';

/** The three columns of a payment (design, "Payment life cycle"). */
export const Decision = z.enum(['waiting', 'approved', 'denied', 'rejected', 'expired', 'cancelled']);
export const MoneyState = z.enum(['none', 'reserved', 'outstanding', 'settled', 'dead']);
export const Service = z.enum(['open', 'delivered', 'refused', 'lost']);
export type Decision = z.infer<typeof Decision>;
export type MoneyState = z.infer<typeof MoneyState>;
export type Service = z.infer<typeof Service>;

/** What people see: a pure function of the three columns. */
export const PaymentStatus = z.enum([
  'waiting', // for the owner
  'approved', // and not paid yet: the agent has to call again
  'paying', // signed; answer not there yet
  'delivered', // answer given; settlement seen on chain or not yet due
  'confirming', // answer given; the chain does not show the money yet
  'not-charged', // answer given, and the money can no longer move
  'undelivered', // money moved, no answer
  'unknown', // no answer; the money may still move
  'denied',
  'rejected',
  'expired',
  'cancelled',
  'failed', // no answer, and the money did not and cannot move
]);
export type PaymentStatus = z.infer<typeof PaymentStatus>;

export const PaymentView = z.object({
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  client: z.string(),
  upstream: z.string(),
  tool: z.string(),
  dialect: z.string(),
  scheme: z.string(),
  /** How its rail moves money; absent when the challenge could not be read that far. */
  flow: z.enum(['authorize', 'prepay', 'hold']).optional(),
  /** Absent when the challenge could not be read that far. */
  money: MoneyView.optional(),
  payee: z.string(),
  payer: z.string(),
  /** What the server asked for first, in its words, where nothing of it could be paid; absent where `money` is there or nothing could be read. */
  demanded: z.object({ money: MoneyView.optional(), units: z.string(), asset: z.string(), payee: z.string() }).optional(),
  /** Set for what Bursar itself sent: for whom, as they were called then, and the sender's memo. */
  order: z.object({ recipient: z.string(), memo: z.string() }).optional(),
  status: PaymentStatus,
  columns: z.object({ decision: Decision, money: MoneyState, service: Service }),
  /** Why it is in this state, in a sentence; empty while nothing needs saying. */
  reason: z.string(),
  reasonCode: z.string(),
  /** Transaction id as the chain shows it, once known. */
  transaction: z.string(),
  /** The rule or default that decided, in words. */
  rule: z.string(),
});
export type PaymentView = z.infer<typeof PaymentView>;

export const SpendView = z.object({
  /** What the caps are counted in. */
  unit: z.literal('USD'),
  /** Settled, outstanding and reserved of today, in millionths of the unit. */
  todayUnits: z.string(),
  /** Cap over everything per day, if there is one. */
  dayCapUnits: z.string().optional(),
  /** Every server that is connected, then every host and former server that was paid today: together they are `todayUnits`. */
  byUpstream: z.array(z.object({ upstream: z.string(), todayUnits: z.string(), dayCapUnits: z.string().optional() })),
});
export type SpendView = z.infer<typeof SpendView>;

export const TimelineEntry = z.object({
  at: Timestamp,
  /** A short stable word: `challenged`, `signed`, `answered`, `observed`, … */
  kind: z.string(),
  detail: z.string(),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** One way to pay that the server offered, in its own order. */
export const OfferView = z.object({
  scheme: z.string(),
  networkName: z.string(),
  /** Absent for a token that is not known; `units` and `asset` are then the server's words. */
  money: MoneyView.optional(),
  units: z.string(),
  asset: z.string(),
  payee: z.string(),
  taken: z.boolean(),
  /** Why it was not taken; empty for the one that was. */
  why: z.string(),
});
export type OfferView = z.infer<typeof OfferView>;

/** All that is known of one payment, and what its owner can do about it. */
export const PaymentDetail = z.object({
  payment: PaymentView,
  timeline: z.array(TimelineEntry),
  /** True once the chain cannot take the settlement back. */
  final: z.boolean(),
  /** Until when the authorization can settle by its own terms; absent until it is signed. */
  outstandingUntil: Timestamp.optional(),
  /** `withdraw`: it is not signed, and ending it costs nothing. `transaction`: the authorization can be cancelled on the chain, for a fee. */
  cancellation: z.enum(['none', 'withdraw', 'transaction']),
  /** True where a dispute packet can be made: it was signed. */
  disputable: z.boolean(),
  /** Every way to pay that the server offered; empty for rows from before they were kept. */
  offers: z.array(OfferView),
  /** The demand as it came, for evidence; cleaned and capped. */
  challengeText: z.string(),
  /** What it costs or may cost besides the amount: network fees, and rent. */
  fees: z.array(MoneyView),
  /** Page of the transaction at a public explorer; empty where there is none. */
  explorerUrl: z.string(),
  /** Arguments of the call, the proof, the server's receipt and its answer: cleaned and capped. The proof is empty while it can still settle. */
  argumentsText: z.string(),
  proofText: z.string(),
  receiptText: z.string(),
  answerText: z.string(),
});
export type PaymentDetail = z.infer<typeof PaymentDetail>;

/** What it costs to cancel a signed payment on its chain. */
export const CancellationCost = z.object({
  /** The network's own coin: `ETH`. */
  coin: z.string(),
  decimals: z.number().int(),
  /** The most that it can cost, in the coin's base units. */
  maxFeeUnits: UnitsText,
  /** What the paying account holds of the coin. */
  balanceUnits: UnitsText,
});
export type CancellationCost = z.infer<typeof CancellationCost>;

/** Everything that Bursar holds of a payment (design, I9), as texts that can be checked. Times are ISO 8601 in UTC. */
export const DisputePacket = z.object({
  format: z.literal('bursar-dispute/1'),
  madeAt: z.string(),
  paymentId: z.string(),
  status: PaymentStatus,
  columns: z.object({ decision: Decision, money: MoneyState, service: Service }),
  reason: z.object({ code: z.string(), text: z.string() }),
  terms: z.object({
    client: z.string(),
    upstream: z.string(),
    tool: z.string(),
    dialect: z.string(),
    scheme: z.string(),
    network: z.string(),
    asset: z.string(),
    amount: UnitsText,
    payee: z.string(),
    payer: z.string(),
    flow: z.string(),
  }),
  transaction: z.string(),
  final: z.boolean(),
  /** JSON texts, verbatim. The proof is empty while it can still settle. */
  arguments: z.string(),
  challenge: z.string(),
  offer: z.string(),
  proof: z.string(),
  receipt: z.string(),
  /** SHA-256, hex; `terms` and `arguments` over their canonical JSON, the others over the texts above. */
  hashes: z.object({ terms: z.string(), arguments: z.string(), challenge: z.string(), offer: z.string(), proof: z.string(), receipt: z.string() }),
  timeline: z.array(z.object({ at: z.string(), kind: z.string(), detail: z.string() })),
});
export type DisputePacket = z.infer<typeof DisputePacket>;

/** Which payments of the history are meant; all of them without any. */
export const PaymentFilter = z.object({
  statuses: z.array(PaymentStatus).max(PaymentStatus.options.length).optional(),
  upstream: z.string().max(260).optional(),
  tool: z.string().max(256).optional(),
  /** CAIP-2. */
  network: z.string().max(80).optional(),
  /** From this instant on, and before that one. */
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  /** Stands in the server, tool, client, payee, transaction or id, upper and lower case alike. */
  text: z.string().max(200).optional(),
});
export type PaymentFilter = z.infer<typeof PaymentFilter>;

/** What the payments of a filter come to. */
export const PaymentTotals = z.object({
  /** By token, fees under the coin that they are paid in; `held` may still move or be freed. */
  tokens: z.array(z.object({ asset: AssetView, movedUnits: UnitsText, heldUnits: UnitsText })),
  /** Millionths of a US dollar, at the prices of then. */
  usd: z.object({ movedUnits: UnitsText, heldUnits: UnitsText }),
  /** Amounts of which no price was known: they are in no figure in dollars. */
  unpriced: z.number().int(),
});
export type PaymentTotals = z.infer<typeof PaymentTotals>;

/** What the history can be filtered by; the most used first. */
export const PaymentFacets = z.object({ upstreams: z.array(z.string()), tools: z.array(z.string()), networks: z.array(z.object({ network: z.string(), name: z.string() })) });
export type PaymentFacets = z.infer<typeof PaymentFacets>;

/** What was spent and is held, by day and by server, in millionths of a US dollar. */
export const SpendingView = z.object({
  /** Oldest first, a day without spending too; `day` is a date (`2026-01-31`) in the policy's time zone. */
  days: z.array(z.object({ day: z.string(), units: UnitsText })),
  /** The largest first. */
  servers: z.array(z.object({ upstream: z.string(), units: UnitsText })),
});
export type SpendingView = z.infer<typeof SpendingView>;

const OnePayment = z.object({ paymentId: z.string().max(64) });

/** A request to an HTTP API that may ask for money. */
export const HttpPurchase = z.object({
  url: z.string().max(8192),
  method: z.string().max(20).optional(),
  headers: z.record(z.string().max(200), z.string().max(16_384)).optional(),
  body: z.object({ text: z.string().max(2_000_000), encoding: z.enum(['utf8', 'base64']) }).optional(),
  /** The most that it may cost, in whole tokens. */
  max: DecimalText.optional(),
});
export type HttpPurchase = z.infer<typeof HttpPurchase>;

/** What came back; `payment` is absent where nothing was asked for it. */
export const HttpPurchased = z.object({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  payment: PaymentView.optional(),
});
export type HttpPurchased = z.infer<typeof HttpPurchased>;

export const paymentRoutes = {
  /** Newest first. `before` is the `id` of the last row of the page before. */
  'payments.list': route(
    'read',
    z.object({ before: z.string().max(64).optional(), limit: z.number().int().min(1).max(500).default(50) }),
    z.object({ payments: z.array(PaymentView), more: z.boolean() }),
  ),
  /** A page of what fits a filter, newest first. `newest` of the first page makes `offset` mean the same for later ones, whatever is paid meanwhile. */
  'payments.find': route(
    'read',
    z.object({ filter: PaymentFilter.default({}), newest: z.number().int().nonnegative().optional(), offset: z.number().int().nonnegative().max(10_000_000).default(0), limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ payments: z.array(PaymentView), count: z.number().int(), newest: z.number().int() }),
  ),
  'payments.totals': route('read', z.object({ filter: PaymentFilter.default({}) }), PaymentTotals),
  'payments.facets': route('read', Empty, PaymentFacets),
  /** The last days, today included. */
  'payments.spending': route('read', z.object({ days: z.number().int().min(1).max(92).default(30) }), SpendingView),
  'payments.spend': route('read', z.object({}), SpendView),
  'payments.detail': route('read', OnePayment, PaymentDetail),
  /** Evidence as JSON and as a page to read. Throws `INPUT_INVALID` for a payment that was never signed. */
  'payments.dispute': route('read', OnePayment, z.object({ packet: DisputePacket, markdown: z.string() })),
  /**
   * Sends a request and pays for it where it is asked, within policy and with approval like any agent's call; redirects are not followed.
   * Throws what the payment was refused with, `ADDRESS_FORBIDDEN`, `UPSTREAM_UNREACHABLE`, `PAYMENT_PENDING` when the owner has not decided.
   */
  'payments.buy': route('owner', HttpPurchase, HttpPurchased),
  /** Ends a payment that is not signed. Throws `APPROVAL_STALE` where there is none (any more). */
  'payments.withdraw': route('owner', OnePayment, Empty),
  /** Asks the chain what `payments.cancel` would cost. */
  'payments.cancelCost': route('read', OnePayment, CancellationCost),
  /**
   * Sends a transaction that makes a signed authorization useless, for at most the fee that the owner saw. The payment counts until the
   * chain says that it is dead. Throws `INSUFFICIENT_BALANCE` without the coin for the fee, `APPROVAL_STALE` when the fee rose above it.
   */
  'payments.cancel': route('owner', OnePayment.extend({ maxFeeUnits: UnitsText }), z.object({ transaction: z.string() })),
  /** Forgets what a server did not deliver, so that the rules hold for it again. */
  'payments.pardon': route('owner', z.object({ upstream: ServerName }), Empty),
} as const;
