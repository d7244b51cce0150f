import { z } from 'zod';
import { DecimalText, ServerName } from '../contract/values.ts';

/** A name or address to compare with. EVM addresses are compared without case, all else exactly. */
const Exact = z.string().min(1).max(256);

/** A token: CAIP-19, `eip155:8453/erc20:0x8335…` or `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjF…`; a currency in the same form, `stripe:card/token:usd`. */
export const AssetId = z.string().max(200).regex(/^(eip155:\d+\/erc20:0x[0-9a-fA-F]{40}|solana:[1-9A-HJ-NP-Za-km-z]{32}\/token:[1-9A-HJ-NP-Za-km-z]{32,44}|(dev|stripe):[a-z]+\/token:[a-z]{3,8})$/, 'write a CAIP-19 id such as eip155:8453/erc20:0x…');
export type AssetId = z.infer<typeof AssetId>;

/** What a cap or rule looks at. Every member that is there has to match; a member left out matches everything. */
export const Scope = z.strictObject({
  upstream: ServerName.optional(),
  /** Name of a tool; `*` stands for any text, `?` for one character. */
  tool: Exact.optional(),
  payee: Exact.optional(),
  client: Exact.optional(),
  /** Address of the paying account. */
  account: Exact.optional(),
  asset: AssetId.optional(),
  /** CAIP-2 chain id. */
  network: Exact.optional(),
});
export type Scope = z.infer<typeof Scope>;

/** Longest rolling window: 31 days. */
export const MOST_ROLLING_MINUTES = 44_640;

/**
 * Over what time a cap counts. `call` limits one payment. `session` is one connection of a client: such a cap only narrows, for a client may
 * connect again. `hour`, `day`, `week` (from Monday) and `month` are those of the calendar in the policy's time zone. A rolling window
 * reaches back from now, at least as far as it says and at most one twenty-fourth further.
 */
export const CapWindow = z.union([
  z.enum(['call', 'session', 'hour', 'day', 'week', 'month']),
  z.strictObject({ rollingMinutes: z.number().int().min(1).max(MOST_ROLLING_MINUTES) }),
]);
export type CapWindow = z.infer<typeof CapWindow>;

/** What a cap counts: US dollars, a token's own units, or payments. */
export const CapUnit = z.union([z.enum(['USD', 'payments']), AssetId]);
export type CapUnit = z.infer<typeof CapUnit>;

/**
 * A limit on what may be spent, where settled, outstanding and reserved money all count. In US dollars, stable coins of the registry count
 * 1:1, and a token without a known price cannot be paid at all. A cap in a token's units looks at that token alone. `payments` counts
 * payments: with an hour or a rolling window it limits how fast they follow each other.
 */
export const Cap = z
  .strictObject({ over: Scope.default({}), window: CapWindow, unit: CapUnit, amount: DecimalText })
  .refine(({ unit, amount }) => unit !== 'USD' || decimalsOf(amount) <= 6, { path: ['amount'], error: 'at most 6 decimal places' })
  .refine(({ unit, amount }) => unit !== 'payments' || decimalsOf(amount) === 0, { path: ['amount'], error: 'payments are counted in whole numbers' })
  .refine(({ unit, window }) => unit !== 'payments' || window !== 'call', { path: ['window'], error: 'one call is one payment: choose another window' });
export type Cap = z.infer<typeof Cap>;

const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

export const Verdict = z.enum(['allow', 'ask', 'deny']);
export type Verdict = z.infer<typeof Verdict>;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'write hours and minutes such as 09:30');

/** A part of the week in the policy's time zone, `from` (included) to `to` (not included). Where `from` is after `to` it goes over midnight; days are those of the moment itself. */
export const During = z.strictObject({ days: z.array(z.enum(WEEKDAYS)).min(1).max(7).optional(), from: TimeOfDay.optional(), to: TimeOfDay.optional() });
export type During = z.infer<typeof During>;

/** A range of amounts, both ends included, in US dollars or in a token's own units; of another token it matches nothing. */
export const AmountRange = z
  .strictObject({ atLeast: DecimalText.optional(), atMost: DecimalText.optional(), unit: z.union([z.literal('USD'), AssetId]).default('USD') })
  .refine(({ unit, atLeast = '', atMost = '' }) => unit !== 'USD' || (decimalsOf(atLeast) <= 6 && decimalsOf(atMost) <= 6), 'at most 6 decimal places');
export type AmountRange = z.infer<typeof AmountRange>;

/** When a rule applies: every member that is there has to match. */
export const RuleMatch = z.strictObject({
  ...Scope.shape,
  dialect: Exact.optional(),
  amount: AmountRange.optional(),
  during: During.optional(),
  /** Nothing was ever settled for this tool of this server, or to this payee. */
  firstPayment: z.enum(['tool', 'payee']).optional(),
  /** Payee, token, network or price differ from the last settled payment for the same tool (true), or do not (false). */
  changedTerms: z.boolean().optional(),
  /** The very same call (client, server, tool, arguments) was bought and answered less than so many minutes ago. */
  repeatWithinMinutes: z.number().int().min(1).max(MOST_ROLLING_MINUTES).optional(),
});
export type RuleMatch = z.infer<typeof RuleMatch>;

/** Rules are read in order and the first that matches decides. */
export const Rule = z.strictObject({
  when: RuleMatch,
  verdict: Verdict,
  /** The owner's words for it; pages, history and agent show them. */
  note: z.string().max(200).optional(),
});
export type Rule = z.infer<typeof Rule>;

/** Allow only these: whatever is not named is denied, before any rule is read. A list left out admits everyone. */
export const Allowlists = z.strictObject({
  upstreams: z.array(ServerName).max(1000).optional(),
  payees: z.array(Exact).max(5000).optional(),
});
export type Allowlists = z.infer<typeof Allowlists>;

/**
 * A token that the owner trusts beside the registry. What it is called, its decimals and its EIP-712 domain come from here and never from
 * a server. `pegged` counts it 1:1 in US dollars; without it, a limit in dollars cannot be kept and refuses the token.
 */
export const TrustedAsset = z.strictObject({
  asset: AssetId,
  /** Plain letters, so that it cannot be spelled like another one. */
  symbol: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.$_-]{0,15}$/, 'write 1 to 16 plain letters and digits'),
  decimals: z.number().int().min(0).max(36),
  pegged: z.literal('USD').optional(),
  /** EVM: name and version of the token's EIP-712 domain, without which it cannot be paid by signature. */
  eip712: z.strictObject({ name: z.string().min(1).max(64), version: z.string().min(1).max(16) }).optional(),
});
export type TrustedAsset = z.infer<typeof TrustedAsset>;

/** An account that may pay, with the most that one payment may take from it, in US dollars or in a token; it then pays in nothing else. */
export const PayingAccount = z.strictObject({
  account: Exact,
  max: z
    .strictObject({ amount: DecimalText, unit: z.union([z.literal('USD'), AssetId]).default('USD') })
    .refine(({ unit, amount }) => unit !== 'USD' || decimalsOf(amount) <= 6, 'at most 6 decimal places')
    .optional(),
});
export type PayingAccount = z.infer<typeof PayingAccount>;

/** Which way to pay is taken where a server offers several: by account, then by token, then the smaller amount, then as the server listed them. */
export const Paying = z.strictObject({
  /** In order of preference; accounts that are not named come after them. */
  accounts: z.array(PayingAccount).max(100).optional(),
  /** In order of preference; tokens that are not named come after them. */
  tokens: z.array(AssetId).max(200).optional(),
  trusted: z.array(TrustedAsset).max(100).optional(),
  /** Hosts of paid HTTP APIs, as `host` or `host:port`, that may lie on this machine or in a private network and be reached without TLS. */
  openHosts: z.array(z.string().min(1).max(260).regex(/^[a-z0-9[][a-z0-9.:\]-]*$/, 'write a host, or host:port, in lower case')).max(100).optional(),
});
export type Paying = z.infer<typeof Paying>;

/**
 * When answering takes proof that the owner is there, and what may give it. Left out: above {@link DEFAULT_PRESENCE} with real money, else never.
 * An amount without a known price counts as above.
 */
export const Presence = z
  .strictObject({
  /** The most that is answered without proof; \`off\`: nothing is asked for. */
  above: z.union([z.literal('off'), DecimalText]).optional(),
  unit: z.literal('USD').default('USD'),
  /** The passkeys that count, each by its fingerprint (SHA-256, hex). Bursar adds and removes them; they are not edited here. */
  passkeys: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(20).optional(),
})
  .refine(({ above = '' }) => decimalsOf(above) <= 6, { path: ['above'], error: 'at most 6 decimal places' });
export type Presence = z.infer<typeof Presence>;

/** With real money, where the owner set nothing: what the default policy lets one payment cost. */
export const DEFAULT_PRESENCE = '1.00';

/** The owner's policy. Pause, lists and caps come first and always hold; a rule decides what happens below them. */
export const Policy = z.strictObject({
  version: z.literal(1),
  /** IANA name; calendar windows and times of day follow it. */
  timeZone: z.string().refine(isTimeZone, 'is not a known time zone'),
  /** While true nothing new is paid. */
  paused: z.boolean().optional(),
  only: Allowlists.optional(),
  caps: z.array(Cap).max(200),
  rules: z.array(Rule).max(500),
  otherwise: Verdict,
  paying: Paying.optional(),
  presence: Presence.optional(),
});
export type Policy = z.infer<typeof Policy>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The policy of a new data folder: ask for everything, at most 1.00 a call and 10.00 a day. */
export const defaultPolicy = (timeZone: string): Policy => ({
  version: 1,
  timeZone,
  caps: [
    { over: {}, window: 'call', unit: 'USD', amount: '1.00' },
    { over: {}, window: 'day', unit: 'USD', amount: '10.00' },
  ],
  rules: [],
  otherwise: 'ask',
});
