import fc from 'fast-check';
import { expect } from 'vitest';
import type { HttpFacts, Reading, ToolListing } from '../../../../src/core/challenges/answer.ts';
import { parseJson, type JsonObject } from '../../../../src/core/json/json.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';

/** A JSON-RPC response as dialects read it. */
export const reading = (text: string, known: { listing?: unknown; lastDialect?: string } = {}): Reading => ({
  rpc: parseJson(text) as JsonObject,
  ...(known.listing !== undefined && { listing: listing(known.listing) }),
  ...(known.lastDialect !== undefined && { lastDialect: known.lastDialect }),
});
export const result = (value: unknown, known: { listing?: unknown } = {}): Reading => reading(JSON.stringify({ jsonrpc: '2.0', id: 1, result: value }), known);
export const rpcError = (code: number, message: string, data?: unknown, known: { listing?: unknown } = {}): Reading =>
  reading(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message, ...(data !== undefined && { data }) } }), known);
export const errorText = (text: string, known: { listing?: unknown } = {}): Reading => result({ isError: true, content: [{ type: 'text', text }] }, known);
export const listing = (value: unknown): ToolListing => parseJson(JSON.stringify(value)) as JsonObject;
export const http = (status: number, headers: Record<string, string | readonly string[]> = {}, body = ''): HttpFacts => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? [value] : value])),
  body,
});

/** Holds a parser to its own errors: whatever it is given, it answers, or throws one of `codes`. */
export function onlyTyped<T>(values: fc.Arbitrary<T>, parse: (value: T) => unknown, codes: readonly string[] = ['CHALLENGE_MALFORMED', 'NO_PAYABLE_OFFER', 'TERMS_LOST']): void {
  fc.assert(
    fc.property(values, (value) => {
      try {
        parse(value);
      } catch (error) {
        expect(isBursarError(error) ? codes : String(error)).toContain(isBursarError(error) ? error.code : 'a BursarError');
      }
    }),
    { numRuns: 500 },
  );
}
