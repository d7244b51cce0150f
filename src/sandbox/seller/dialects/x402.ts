import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../payment/call.ts';
import { demandText, type Demand, type SentPayment } from '../payment/dialect.ts';
import type { Challenge } from '../payment/terms.ts';

/** The versions of x402. */
export type X402Version = 1 | 2;

const REQUIRED = 'Payment required to access this resource';

/** An x402 PaymentRequired (v2 section 5.1, v1 section 5.1). */
export function paymentRequired(challenge: Challenge, version: X402Version, demand: Demand, required = REQUIRED): Readonly<Record<string, unknown>> {
  const accepts = challenge.offers.map(({ terms }) => terms);
  const error = demandText(demand, required);
  const { url, description, mimeType } = challenge.product;
  return version === 2 ? { x402Version: 2, error, resource: { url, description, mimeType }, accepts } : { x402Version: 1, error, accepts };
}

/** Reads an x402 payment object. Version 2 has to echo an offer; version 1 names scheme and network. */
export function readPayment(given: unknown, version: X402Version): SentPayment | { readonly unreadable: string } | undefined {
  if (given === undefined) return undefined;
  if (!isRecord(given) || given['x402Version'] !== version || !isRecord(given['payload'])) return { unreadable: `it is not an x402 version ${version} payment` };
  if (version === 1) return { proof: given, accepts: ({ terms }) => terms['scheme'] === given['scheme'] && terms['network'] === given['network'] };
  const accepted = given['accepted'];
  if (!isRecord(accepted)) return { unreadable: 'it is not an x402 version 2 payment' };
  return { proof: given, accepts: ({ terms }) => isDeepStrictEqual({ ...terms }, accepted) };
}

/** The object in a base64 text; undefined where there is no text, null where it holds none. */
export function decodeBase64(text: unknown): unknown {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    return null;
  }
}

/** Standard base64 of JSON, as x402 headers carry it. */
export const encodeBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
