import { member, type Json, type JsonObject } from '../json/json.ts';
import { textOf, type Reading } from './answer.ts';
import { jsonOf, onlyText } from './tool-result.ts';

const URL_ELICITATION_REQUIRED = -32042;

/** A page that a server wants the person to open, to pay there or for anything else. Bursar pays nothing for it; the client gets it as it came. */
export interface PayLink {
  /** `url-elicitation` (MCP 2025-11-25), or `payment-link` in a tool result. */
  readonly kind: 'url-elicitation' | 'payment-link';
  readonly url: string;
  /** The server's words. Untrusted. */
  readonly message: string;
}

/** True for MCP's URL elicitation, which shares its code with payment challenges (wire-formats section 7, E1). */
export const isUrlElicitation = (reading: Reading): boolean => elicitationsOf(reading).length > 0;

/** The page that an answer sends the person to, where it does. Links that are no `http` or `https` are not shown. */
export function readPayLink(reading: Reading): PayLink | undefined {
  const [elicitation] = elicitationsOf(reading);
  if (elicitation !== undefined) return linkOf('url-elicitation', member(elicitation, 'url'), member(elicitation, 'message'));
  const result = reading.rpc?.get('result');
  for (const place of [member(result, 'structuredContent'), textJson(result)]) {
    const url = member(place, 'payment_url');
    if (url !== undefined && member(place, 'payment_id') !== undefined) return linkOf('payment-link', url, member(place, 'message'));
  }
  return undefined;
}

/** The page in a server's own request to elicit a URL (`elicitation/create`, mode `url`). */
export function readLinkRequest(request: Json | undefined): PayLink | undefined {
  const params = member(request, 'params');
  const isOne = member(request, 'method') === 'elicitation/create' && member(params, 'mode') === 'url';
  return isOne ? linkOf('url-elicitation', member(params, 'url'), member(params, 'message')) : undefined;
}

/** A word without which no answer holds a payment link outside of an error. Its rare end comes first: the engine finds that in a tenth of the time. */
export const mayHoldPayLink = (text: string): boolean => text.includes('_url') && text.includes('payment_url');

function elicitationsOf({ rpc }: { readonly rpc?: JsonObject }): readonly Json[] {
  const error = rpc?.get('error');
  const elicitations = member(error, 'code') === URL_ELICITATION_REQUIRED ? member(member(error, 'data'), 'elicitations') : undefined;
  return Array.isArray(elicitations) ? (elicitations as readonly Json[]) : [];
}

function textJson(result: Json | undefined): Json | undefined {
  const words = onlyText(result);
  return words !== undefined && mayHoldPayLink(words) ? jsonOf(words) : undefined;
}

function linkOf(kind: PayLink['kind'], url: Json | undefined, message: Json | undefined): PayLink | undefined {
  const text = textOf(url);
  return /^https?:\/\/[^\s]{1,2000}$/i.test(text) ? { kind, url: text, message: textOf(message).slice(0, 300) } : undefined;
}
