import fc from 'fast-check';
import { expect } from 'vitest';
import type { HttpFacts, Reading } from '../../../../src/core/challenges/answer.ts';
import { detectChallenge } from '../../../../src/core/challenges/registry.ts';
import { parseJson, stringifyJson, type JsonObject } from '../../../../src/core/json/json.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';

export const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
export const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
export const PROOF = '{"signature":"0x11"}';

export const V2_OFFER = { scheme: 'exact', network: 'eip155:84532', amount: '10000', asset: USDC, payTo: PAYEE, maxTimeoutSeconds: 300, extra: { name: 'USDC', version: '2' } };
export const V2 = {
  x402Version: 2,
  error: 'Payment required',
  resource: { url: 'http://127.0.0.1:18080/evm', description: 'd', mimeType: 'application/json' },
  accepts: [V2_OFFER],
};

export const V1_OFFER = {
  scheme: 'exact',
  network: 'base-sepolia',
  maxAmountRequired: '10000',
  asset: USDC,
  payTo: PAYEE,
  resource: 'https://api.example.com/premium-data',
  description: '…',
  mimeType: 'application/json',
  outputSchema: null,
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
};
export const V1 = { x402Version: 1, error: 'X-PAYMENT header is required', accepts: [V1_OFFER] };

export const RECEIPT = { success: true, transaction: '0x3eb3', network: 'eip155:84532', payer: '0x7099' };

/** A JSON-RPC response. */
export const reading = (message: object): Reading => ({ rpc: parseJson(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })) as JsonObject });
export const result = (members: object): Reading => reading({ result: members });
export const toolError = (text: string, members: object = {}): Reading => result({ isError: true, content: [{ type: 'text', text }], ...members });
export const rpcError = (code: number, message: string, data?: unknown): Reading => reading({ error: { code, message, ...(data !== undefined && { data }) } });
export const answered = (members: object = {}): Reading => result({ content: [{ type: 'text', text: 'sunny' }], ...members });

/** The text of a response on the wire. */
export const wire = ({ rpc }: Reading): string => stringifyJson(rpc!);

export const base64 = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
export const fromBase64 = (text: string | undefined): unknown => JSON.parse(Buffer.from(text ?? '', 'base64').toString());

/** An HTTP answer; each header may be repeated. */
export const http = (status: number, headers: Readonly<Record<string, string | readonly string[]>> = {}, body: unknown = ''): Reading & { http: HttpFacts } => ({
  http: {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), typeof value === 'string' ? [value] : value])),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  },
});

/** Values that take the place of an honest one. */
const hostile = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>('exact', 'base', 'eip155:84532', '10000', '-1', '1e4', 60, 0, -1, 1.5, null, true, {}, [], '__proto__', '\u202e\u0000', '9'.repeat(500), { __proto__: null, constructor: 1 }),
);

/** An honest object with some of its members replaced, at any depth of the first two levels. */
export const mutated = (honest: Readonly<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> => {
  const flip = (value: Readonly<Record<string, unknown>>) => fc.dictionary(fc.constantFrom(...Object.keys(value), '__proto__', 'x'), hostile, { maxKeys: 3 }).map((change) => ({ ...value, ...change }));
  const [offer] = (honest['accepts'] ?? []) as Record<string, unknown>[];
  return offer ? fc.tuple(flip(honest), fc.array(flip(offer), { maxLength: 3 })).map(([top, accepts]) => ({ accepts, ...top, ...(Array.isArray(top['accepts']) && { accepts }) })) : flip(honest);
};

/** Fails where detection throws what is not typed, or takes more than 50 ms. */
export function detectsWithoutHarm(arbitrary: fc.Arbitrary<Reading>, numRuns = 500): void {
  const took = (given: Reading): number => {
    const began = performance.now();
    try {
      detectChallenge(given);
    } catch (error) {
      expect(isBursarError(error), String(error)).toBe(true);
    }
    return performance.now() - began;
  };
  // A busy machine may stop any one run; what is slow by itself is slow every time.
  const isFast = (given: Reading): boolean => took(given) < 50 || took(given) < 50 || took(given) < 50;
  fc.assert(fc.property(arbitrary, isFast), { numRuns });
}

/** The error that detection throws. */
export function refusal(given: Reading): { readonly code: string; readonly message: string } {
  try {
    detectChallenge(given);
  } catch (error) {
    if (isBursarError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
