import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, member, type Json, type JsonObject } from '../json/json.ts';
import { header, textOf, type HttpFacts, type Reading } from './answer.ts';
import { parseAuthenticate } from './authenticate.ts';
import { jsonOfBase64Url, toBase64Url } from './base64url.ts';
import type { Dialect, PaidAnswer } from './dialect.ts';
import { isMppChallenge, mppCredential, readMppChallenges, readMppReceipt, type MppEntry } from './mpp-challenge.ts';
import { complaint, toolError, jsonOf } from './tool-result.ts';

const PAYMENT_REQUIRED = 402;
/** Statuses of a gateway that gave up on what stands behind it: that may have settled all the same. */
const OUTCOME_UNKNOWN: readonly number[] = [502, 503, 504];
const MAX_REQUEST_CHARACTERS = 16_384;
/** Where a server may want its credential besides `Authorization`: headers that mean nothing else. */
const CREDENTIAL_HEADER = /^(?:authorization|(?:x-)?payment(?:-[a-z0-9-]{1,40})?)$/;

/**
 * MPP, the Machine Payments Protocol, over HTTP (wire-formats section 6): 402 with `WWW-Authenticate: Payment`, on a bought address or
 * on the POST that carries a tool call.
 */
export const mppHttp: Dialect = {
  id: 'mpp-http',
  resendable: true,

  detect({ http }) {
    const lines = paymentLines(http);
    if (lines.length === 0) return undefined;
    const entries: MppEntry[] = [];
    for (const { scheme, params } of parseAuthenticate(lines)) {
      if (scheme !== 'payment') continue;
      const source = new Map<string, Json>(params);
      if (!isMppChallenge(source)) continue;
      entries.push({ source, request: decodeRequest(source) });
    }
    if (entries.length === 0) return undefined;
    return readMppChallenges('mpp-http', entries, problemOf(http), new Map<string, Json>([['challenges', entries.map(({ source }) => source)]]));
  },

  attach(_challenge, offer, payloadText) {
    const name = headerName(member(offer.source, 'header'));
    return { headers: { [name]: `Payment ${toBase64Url(mppCredential(offer, payloadText))}` } };
  },

  readAnswer(reading, bought): PaidAnswer {
    const encoded = header(reading.http, 'payment-receipt');
    const paidId = bought && textOf(member(jsonOf(bought.offerText), 'id'));
    const receipt = readMppReceipt(encoded === undefined ? undefined : jsonOfBase64Url(encoded), paidId);
    const withReceipt = receipt && { receipt };
    const status = reading.http?.status ?? 0;
    if (!reading.rpc && OUTCOME_UNKNOWN.includes(status)) {
      throw new BursarError('PAYMENT_OUTCOME_UNKNOWN', `The server answered HTTP ${status}, which does not say whether it took the payment.`);
    }
    if (status === PAYMENT_REQUIRED) return { kind: 'refused', message: problemOf(reading.http), settlementFailed: false, ...withReceipt };
    if (status >= 400 || hasFailed(reading)) return { kind: 'failed', message: complaint(reading.rpc) || problemOf(reading.http), ...withReceipt };
    return { kind: 'served', ...withReceipt };
  },
};

/** Lines of `WWW-Authenticate` that may hold a payment challenge; others are never parsed. */
const paymentLines = (http: HttpFacts | undefined): readonly string[] =>
  http?.status === PAYMENT_REQUIRED ? (http.headers['www-authenticate'] ?? []).filter((line) => /(?:^|[\s,])payment\s/i.test(line)) : [];

function decodeRequest(source: JsonObject): JsonObject {
  const malformed = (why: string) => new BursarError('CHALLENGE_MALFORMED', `The payment challenge ${why}.`);
  const encoded = textOf(source.get('request'));
  if (encoded.length > MAX_REQUEST_CHARACTERS) throw malformed('has a request that is too long');
  const request = jsonOfBase64Url(encoded);
  if (!isObject(request)) throw malformed('has a request that is no base64url of a JSON object');
  headerName(source.get('header'));
  return request;
}

/** The header that takes the credential. A server could otherwise have us write any header. */
function headerName(named: Json | undefined): string {
  const name = named === undefined ? 'authorization' : textOf(named).toLowerCase();
  if (!CREDENTIAL_HEADER.test(name)) throw new BursarError('CHALLENGE_MALFORMED', `The payment challenge wants its credential in the header "${name.slice(0, 60)}".`);
  return name;
}

/** What the server says is wrong (RFC 9457 problem details). */
function problemOf(http: HttpFacts | undefined): string {
  const problem = jsonOf(http?.body ?? '');
  return textOf(member(problem, 'detail')) || textOf(member(problem, 'title')) || textOf(member(problem, 'error'));
}

const hasFailed = (reading: Reading): boolean => toolError(reading.rpc) !== undefined || (reading.rpc?.has('error') === true && !reading.rpc.has('result'));
