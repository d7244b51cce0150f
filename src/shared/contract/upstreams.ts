import { z } from 'zod';
import { route } from './route.ts';
import { Empty, ServerName, Timestamp, UpstreamName } from './values.ts';

const ScopeText = z.string().max(2000).regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'write the scopes with one space between two');
const ClientId = z.string().min(1).max(2000);
const Secret = z.string().min(1).max(20_000);
const Issuer = z.url({ protocol: /^https?$/ });

/**
 * How Bursar gets tokens for a server (OAuth 2.1). `oauth`: the owner signs in, in a browser; without a client id Bursar registers itself.
 * `client-credentials`: a client that has been given a secret or a private key signs in by itself. A secret is sent to its issuer alone. Secrets never
 * leave main.
 */
export const UpstreamAuth = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('oauth'),
      /** What to ask for; without it, what the server says that it wants. */
      scope: ScopeText.optional(),
      clientId: ClientId.optional(),
      clientSecret: Secret.optional(),
      issuer: Issuer.optional(),
      /** Port of `http://127.0.0.1:PORT/callback`, where the client id was registered with one. */
      callbackPort: z.int().min(1024).max(65_535).optional(),
    })
    .refine(({ clientId, clientSecret, issuer }) => clientSecret === undefined || (clientId !== undefined && issuer !== undefined), { path: ['clientSecret'], message: 'a secret needs its client id and its issuer beside it' }),
  z
    .strictObject({
      kind: z.literal('client-credentials'),
      clientId: ClientId,
      clientSecret: Secret.optional(),
      /** PKCS #8 in PEM: the client proves itself with `private_key_jwt` (RFC 7523). */
      privateKey: Secret.optional(),
      algorithm: z.enum(['RS256', 'PS256', 'ES256']).default('ES256'),
      scope: ScopeText.optional(),
      issuer: Issuer,
    })
    .refine(({ clientSecret, privateKey }) => (clientSecret === undefined) !== (privateKey === undefined), { path: ['clientSecret'], message: 'give either a secret or a private key' }),
]);
export type UpstreamAuth = z.infer<typeof UpstreamAuth>;

/** How an upstream is reached. A header's value and a variable's value are secrets and never leave main. */
export const UpstreamTransport = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('http'), url: z.url({ protocol: /^https?$/ }), headers: z.record(z.string(), z.string()).default({}), auth: UpstreamAuth.optional() }),
  z.strictObject({
    kind: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(32_768)).max(500).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
]);
export type UpstreamTransport = z.infer<typeof UpstreamTransport>;

/** Where Bursar stands with a server that wants a token. */
export const AuthorizationView = z.object({
  kind: z.enum(['oauth', 'client-credentials']),
  /**
   * `signed-in`; `needed`: the owner has to sign in before it serves; `offered`: it refused a call and says where one signs in, which nobody asked
   * Bursar to do; `signing-in`: a browser is on its way; `automatic`: Bursar signs in by itself; `locked`: the tokens are locked with the keys.
   */
  state: z.enum(['signed-in', 'needed', 'offered', 'signing-in', 'automatic', 'locked']),
  /** Who gave the tokens; empty where nobody did. */
  issuer: z.string(),
  scope: z.string(),
  /** In a sentence, why the owner has to sign in, or why the last attempt failed; empty otherwise. */
  why: z.string(),
});
export type AuthorizationView = z.infer<typeof AuthorizationView>;

export const UpstreamView = z.object({
  name: UpstreamName,
  kind: z.enum(['http', 'stdio']),
  /** URL, or the command line as it is run. */
  address: z.string(),
  enabled: z.boolean(),
  /** Present where Bursar settles this server's payments itself before the retry, which a standard seller does not expect. */
  settlement: z.literal('client').optional(),
  /** Present where it is reached with tokens, or says that it wants some. */
  authorization: AuthorizationView.optional(),
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
  /**
   * Begins a sign-in to a server; one that was under way is given up. `url` is the page for the owner's browser, `opened` says that Bursar has opened
   * it; both are empty where Bursar signs in by itself, and is done. Throws `UPSTREAM_UNKNOWN`, `INPUT_INVALID`, `WALLET_LOCKED`, `ADDRESS_FORBIDDEN`,
   * `UPSTREAM_SIGN_IN_FAILED`, `UPSTREAM_UNREACHABLE`.
   */
  'upstreams.authorize': route('owner', z.object({ name: UpstreamName }), z.object({ url: z.string(), opened: z.boolean() })),
  /** Waits for the end of a sign-in that is under way. Throws why it failed, and `UPSTREAM_UNKNOWN`. */
  'upstreams.authorized': route('read', z.object({ name: UpstreamName, withinSeconds: z.number().int().min(1).max(600).default(600) }), AuthorizationView),
  /** Forgets the tokens of a server and what is under way for some. Throws `UPSTREAM_UNKNOWN`. */
  'upstreams.signOut': route('owner', z.object({ name: UpstreamName }), Empty),
  /** Who settles the payments of a server or paid host: the seller (`server`, the standard), or Bursar before the retry. Throws `UPSTREAM_UNKNOWN`. */
  'upstreams.setSettlement': route('owner', z.object({ name: ServerName, settlement: z.enum(['client', 'server']) }), Empty),
} as const;
