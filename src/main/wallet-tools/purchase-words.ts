import type { HttpAnswer } from '../http-buyer/http-answer.ts';
import type { Purchase } from '../http-buyer/http-buyer.ts';
import type { OwnToolAnswer } from '../bridge/aggregate/own-tools.ts';

/** What a person at a paid API would be told of failures that its sellers cannot explain to an agent. */
const SESSION_KEY = 'Payment failed due to invalid session key. Rotate the session key and retry. (AA24_SIGNATURE_ERROR)';
const NOT_DECOMPRESSED = 'Remote endpoint error. Retry later or use different endpoint. (ENDPOINT_DECOMPRESSION_FAILED)';
const NOT_THERE = 'Endpoint not available. Service may be down or removed.';

const MAX_EXCERPT = 1_000;
/** Content codings that Bursar undoes; one that is still there was broken. */
const CODED = /^(?:x-)?(?:gzip|deflate|br|zstd|compress)$/i;

/** Why an answer is of no use to the agent, in words that it can act on; undefined for one that is. */
export function problemOf({ status, headers, body, encoding }: HttpAnswer): string | undefined {
  const text = encoding === 'utf8' ? body : '';
  if (CODED.test((headers['content-encoding'] ?? '').trim()) && body !== '') return NOT_DECOMPRESSED;
  if (status >= 200 && status < 300) return undefined;
  if (isSessionKeyFailure(text)) return SESSION_KEY;
  if (/ENDPOINT_DECOMPRESSION_FAILED/.test(text)) return NOT_DECOMPRESSED;
  if (status === 404 || status === 405) return `${NOT_THERE} (HTTP ${status})`;
  if (status >= 300 && status < 400) return `The endpoint answered with a redirect (HTTP ${status}), which Bursar never follows.`;
  const said = text.trim().slice(0, MAX_EXCERPT);
  return `The endpoint answered with HTTP ${status}${said === '' ? '.' : `: ${said}`}`;
}

/** An error of account abstraction (ERC-4337) that sellers hand on from their own wallet service. */
const isSessionKeyFailure = (text: string): boolean => /\bAA24\b|AA24_SIGNATURE_ERROR/.test(text);

/** A payment's refusal for the agent, in friendlier words where there are any. */
export const refusalWords = (message: string): string => (isSessionKeyFailure(message) ? SESSION_KEY : message);

/** An error result that names the payment which waits for the owner. Clients hide `structuredContent` where `isError` is set, so all of it stands in the text. */
export function pendingResult({ paymentId, expiresAt }: Extract<Purchase, { kind: 'pending' }>, { tool, seller, text = (words) => words }: { readonly tool: string; readonly seller: string; readonly text?: (words: string, until: string) => string }): OwnToolAnswer {
  const until = new Date(expiresAt).toISOString();
  const words =
    `payment_pending: ${seller} asks for money for "${tool}", and the owner has not decided yet. Nothing was paid. ` +
    `To continue, call the same tool again with the same arguments: it waits on, and is paid at most once. The request ${paymentId} is open until ${until}. (PAYMENT_PENDING)`;
  const result = { content: [{ type: 'text', text: text(words, until) }], isError: true, _meta: { 'bursar/payment': { status: 'payment_pending', paymentId, expiresAt: until } } };
  return { kind: 'result', resultText: JSON.stringify(result) };
}
