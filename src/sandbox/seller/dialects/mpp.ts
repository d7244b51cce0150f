import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { canonicalJson } from '../payment/canonical.ts';
import { withMeta, type Reply } from '../payment/call.ts';
import { demandText, type Demand, type FinishedSale, type SellingDialect, type SentPayment } from '../payment/dialect.ts';
import type { Challenge } from '../payment/terms.ts';

const CREDENTIAL = 'org.paymentauth/credential';
const RECEIPT = 'org.paymentauth/receipt';
const REQUIRED = -32042;
const REFUSED = -32043;
const SCHEME = /^Payment\s+([A-Za-z0-9_-]+)$/i;

const credentialSchema = z.looseObject({
  challenge: z.looseObject({ id: z.string(), realm: z.string(), method: z.string(), intent: z.string(), request: z.union([z.string(), z.looseObject({})]) }),
  payload: z.looseObject({}),
});

/** The Machine Payments Protocol, method `evm`, intent `charge`, over MCP: challenges in a JSON-RPC error. */
export const mppMcp = (realm: string): SellingDialect => ({
  id: 'mpp-mcp',
  storesChallenges: true,
  read: ({ meta }) => readCredential(meta[CREDENTIAL], realm),
  ask: (challenge, demand) => ({
    kind: 'error',
    code: demand.kind === 'required' ? REQUIRED : REFUSED,
    message: demandText(demand, 'Payment Required'),
    data: { httpStatus: 402, challenges: [wireChallenge(challenge, realm)], ...(demand.kind !== 'required' && { problem: problem(demand) }) },
  }),
  hand: (reply, sale) => withMeta(reply, RECEIPT, { ...receipt(sale), challengeId: sale.challenge.id }),
});

/** The same over HTTP: `WWW-Authenticate: Payment`, `Authorization: Payment`, `Payment-Receipt`. */
export const mppHttp = (realm: string): SellingDialect => ({
  id: 'mpp-http',
  storesChallenges: true,
  read: ({ headers }) => {
    const given = headers['authorization'];
    if (given === undefined) return undefined;
    const [, token] = SCHEME.exec(given) ?? [];
    return readCredential(token === undefined ? null : decodeUrl(token), realm);
  },
  ask: (challenge, demand) => {
    const { request, ...words } = wireChallenge(challenge, realm);
    const parameters = { ...words, request: encodeUrl(request) };
    const header = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
    return {
      kind: 'http',
      status: 402,
      headers: { 'www-authenticate': `Payment ${header.join(', ')}`, 'cache-control': 'no-store', 'content-type': 'application/problem+json' },
      body: problem(demand),
    };
  },
  hand: (reply, sale): Reply => (reply.kind === 'http' ? { ...reply, headers: { ...reply.headers, 'payment-receipt': encodeUrl(receipt(sale)), 'cache-control': 'private' } } : reply),
});

function readCredential(given: unknown, realm: string): SentPayment | { readonly unreadable: string } | undefined {
  if (given === undefined) return undefined;
  const parsed = credentialSchema.safeParse(given);
  if (!parsed.success) return { unreadable: 'it is not a Payment credential' };
  const { challenge, payload } = parsed.data;
  const request = typeof challenge.request === 'string' ? decodeUrl(challenge.request) : challenge.request;
  const named = challenge.realm === realm && challenge.method === 'evm' && challenge.intent === 'charge';
  return { challengeId: challenge.id, proof: payload, accepts: ({ terms }) => named && isDeepStrictEqual({ ...terms }, request) };
}

function wireChallenge({ id, offers, expiresAt }: Challenge, realm: string) {
  return { id, realm, method: 'evm', intent: 'charge', request: offers[0]?.terms ?? {}, expires: new Date(expiresAt).toISOString() };
}

const problem = (demand: Demand) => ({
  type: `https://paymentauth.org/problems/${demand.kind === 'required' ? 'payment-required' : 'verification-failed'}`,
  title: demand.kind === 'required' ? 'Payment Required' : 'Verification Failed',
  status: 402,
  detail: demandText(demand, 'Payment is required.'),
});

const receipt = ({ settled, at }: FinishedSale) => ({ method: 'evm', reference: settled.transaction, status: settled.success ? 'success' : 'verified', timestamp: new Date(at).toISOString() });

const encodeUrl = (value: unknown): string => Buffer.from(canonicalJson(value)).toString('base64url');

function decodeUrl(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
