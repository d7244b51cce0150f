import { BursarError } from '../../shared/errors/errors.ts';
import type { Json } from '../json/json.ts';
import { NETWORKS } from '../registry/networks.ts';
import type { HttpFacts } from './answer.ts';
import type { Dialect } from './dialect.ts';
import { readPaidAnswer } from './x402-answer.ts';
import { inHeadersAndMeta } from './x402-http.ts';
import { readPaymentRequired } from './x402.ts';

const ID = 'x402-split-headers';
/** Seconds that the proof may live: these headers say nothing of it. */
const TIMEOUT_S = 60;

/**
 * The oldest form: one offer over the headers `X-Payment-Amount`, `X-Payment-Recipient` or `X-Payment-PayTo`, `X-Payment-Token` and
 * `X-Payment-Network`. It is read as the version 2 request that it amounts to, which the proof then echoes. Such a server leaves the
 * settlement to whoever pays.
 */
export const x402SplitHeaders: Dialect = {
  id: ID,
  resendable: true,

  detect({ http }) {
    if (http?.status !== 402) return undefined;
    const amount = single(http, ['x-payment-amount']);
    const payTo = single(http, ['x-payment-recipient', 'x-payment-payto']);
    if (amount === undefined || payTo === undefined) return undefined;
    const named = single(http, ['x-payment-network']);
    const network = NETWORKS.find(({ v1Name }) => v1Name !== undefined && v1Name === named)?.id ?? named;
    const asset = single(http, ['x-payment-token']);
    const offer = new Map<string, Json>([
      ['scheme', 'exact'],
      ...(network === undefined ? [] : ([['network', network]] as const)),
      ['amount', amount],
      ...(asset === undefined ? [] : ([['asset', asset]] as const)),
      ['payTo', payTo],
      ['maxTimeoutSeconds', TIMEOUT_S],
    ]);
    // The headers stay beside what was made of them: they are the evidence.
    const headers = new Map<string, Json>(Object.entries(http.headers).flatMap(([name, values]) => (name.startsWith('x-payment-') && values ? [[name, values] as const] : [])));
    const challenge = readPaymentRequired(ID, new Map<string, Json>([['x402Version', 2], ['headers', headers], ['accepts', [offer]]]), false);
    return { ...challenge, offers: challenge.offers.map((read) => ({ ...read, settlement: 'client' })) };
  },

  attach: inHeadersAndMeta(['X-Payment-Signature', 'PAYMENT-SIGNATURE']),
  readAnswer: (reading, bought) => readPaidAnswer(reading, bought),
};

/** The one value under any of these names. Throws `CHALLENGE_MALFORMED` where there are two. */
function single(http: HttpFacts, names: readonly string[]): string | undefined {
  const values = new Set(names.flatMap((name) => http.headers[name] ?? []).map((value) => value.trim()));
  if (values.size > 1) throw new BursarError('CHALLENGE_MALFORMED', `The payment request has two values that differ for the header ${names[0]}.`);
  return [...values][0];
}
