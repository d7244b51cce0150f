import { z } from 'zod';
import { route } from './route.ts';
import { Empty, ServerName, Timestamp, UpstreamName } from './values.ts';

/** How an upstream is reached. A header's value and a variable's value are secrets and never leave main. */
export const UpstreamTransport = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('http'), url: z.url({ protocol: /^https?$/ }), headers: z.record(z.string(), z.string()).default({}) }),
  z.strictObject({
    kind: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(32_768)).max(500).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
]);
export type UpstreamTransport = z.infer<typeof UpstreamTransport>;

export const UpstreamView = z.object({
  name: UpstreamName,
  kind: z.enum(['http', 'stdio']),
  /** URL, or the command line as it is run. */
  address: z.string(),
  enabled: z.boolean(),
  /** Present where Bursar settles this server's payments itself before the retry, which a standard seller does not expect. */
  settlement: z.literal('client').optional(),
  /** Where clients reach it over HTTP. */
  mcpUrl: z.string(),
});
export type UpstreamView = z.infer<typeof UpstreamView>;

/** What a server says that a tool costs, or how it has asked for money since Bursar started. Its own words. */
export const ToolPriceView = z.object({
  upstream: UpstreamName,
  tool: z.string(),
  /** A decimal with its currency, `0.01 USDC`; empty where none is listed. */
  price: z.string(),
  /** Dialects in which it asked, the latest last. */
  dialects: z.array(z.string()),
});
export type ToolPriceView = z.infer<typeof ToolPriceView>;

/** A page that a server asked the person to open. Bursar passed that on and paid nothing. */
export const PayLinkView = z.object({
  upstream: UpstreamName,
  tool: z.string(),
  kind: z.enum(['url-elicitation', 'payment-link']),
  url: z.string(),
  message: z.string(),
  at: Timestamp,
});
export type PayLinkView = z.infer<typeof PayLinkView>;

/** What a server answered to `initialize` and `tools/list`. All texts are its own words. */
export const UpstreamTest = z.object({
  name: UpstreamName,
  /** What it calls itself, and its version; empty where it does not say. */
  server: z.string(),
  protocolVersion: z.string(),
  /** From the first message to the last answer (ms). */
  tookMs: z.number().int().nonnegative(),
  /** `price` is what it lists, as a decimal with its currency; empty where it lists none. */
  tools: z.array(z.object({ name: z.string(), description: z.string(), price: z.string() })),
  /** How many more tools it has than are given here. */
  more: z.number().int().nonnegative(),
});
export type UpstreamTest = z.infer<typeof UpstreamTest>;

export const upstreamRoutes = {
  /** At most 500 prices; `more` says how many were left out. Links newest first. */
  'upstreams.prices': route('read', Empty, z.object({ prices: z.array(ToolPriceView), more: z.number().int().nonnegative(), links: z.array(PayLinkView) })),
  'upstreams.list': route('read', Empty, z.object({ upstreams: z.array(UpstreamView) })),
  /** Throws `INPUT_INVALID` when the name is taken. */
  'upstreams.add': route('owner', z.object({ name: UpstreamName, transport: UpstreamTransport }), UpstreamView),
  'upstreams.remove': route('owner', z.object({ name: UpstreamName }), Empty),
  /** Starts or reaches the server as a client would and lists its tools. Calls none and pays nothing. Throws what kept it from answering. */
  'upstreams.test': route('read', z.object({ name: UpstreamName, withinSeconds: z.number().int().min(1).max(600).default(60) }), UpstreamTest),
  /** Who settles the payments of a server or paid host: the seller (`server`, the standard), or Bursar before the retry. Throws `UPSTREAM_UNKNOWN`. */
  'upstreams.setSettlement': route('owner', z.object({ name: ServerName, settlement: z.enum(['client', 'server']) }), Empty),
} as const;
