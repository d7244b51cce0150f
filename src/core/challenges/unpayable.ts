import { BursarError } from '../../shared/errors/errors.ts';
import { member, type Json } from '../json/json.ts';
import { header, textOf, type Reading } from './answer.ts';
import { parseAuthenticate } from './authenticate.ts';
import { complaint, jsonOf, onlyText } from './tool-result.ts';
import { tryBase64 } from './x402-base64.ts';

const PAYMENT_REQUIRED = 402;

/** Ways of being paid that Bursar knows by their own marks and does not have. Each looks at shapes and never at a name in passing. */
const PROTOCOLS: readonly { readonly name: string; readonly needs: string; readonly isMet: (reading: Reading) => boolean }[] = [
  { name: 'L402', needs: 'a Lightning invoice to be paid', isMet: isL402 },
  { name: 'Nevermined', needs: 'a plan with credits at Nevermined', isMet: isNevermined },
  { name: 'Skyfire', needs: 'a token from a Skyfire account', isMet: isSkyfire },
];

/** Throws `PROTOCOL_UNSUPPORTED` for an answer that asks for money in a way that is known and cannot be paid. */
export function refuseUnpayable(reading: Reading): void {
  const found = PROTOCOLS.find(({ isMet }) => isMet(reading));
  if (found) {
    throw new BursarError('PROTOCOL_UNSUPPORTED', `The server wants to be paid by ${found.name}, which takes ${found.needs}.`, { context: { protocol: found.name } });
  }
}

/** `WWW-Authenticate: L402` or `LSAT` with a macaroon and an invoice (bLIP 26). */
function isL402({ http }: Reading): boolean {
  const lines = http?.status === PAYMENT_REQUIRED ? (http.headers['www-authenticate'] ?? []).filter((line) => /(?:^|[\s,])(?:l402|lsat)\s/i.test(line)) : [];
  return parseAuthenticate(lines).some(({ scheme, params }) => (scheme === 'l402' || scheme === 'lsat') && params.has('invoice') && (params.has('macaroon') || params.has('token')));
}

/** An x402 demand whose every scheme is Nevermined's own, or the error of its MCP paywall. */
function isNevermined(reading: Reading): boolean {
  const { rpc, http } = reading;
  const error = rpc?.get('error');
  const data = member(error, 'data');
  const reason = member(data, 'reason');
  if (member(error, 'code') === -32003 && (reason === 'missing' || reason === 'invalid') && /^(?:Authorization required|Payment required\.)/.test(complaint(rpc))) return true;
  const result = rpc?.get('result');
  const places = [data, member(result, 'structuredContent'), mentionsPlan(onlyText(result)), mentionsPlan(http?.body), tryBase64(header(http, 'payment-required') ?? '')];
  return places.some((place) => {
    const accepts = member(place, 'accepts');
    return Array.isArray(accepts) && accepts.length > 0 && (accepts as readonly Json[]).every((offer) => textOf(member(offer, 'scheme')).startsWith('nvm:'));
  });
}

const mentionsPlan = (text: string | undefined): Json | undefined => (text?.includes('"nvm:') ? jsonOf(text) : undefined);

/** A refusal that names the header of Skyfire's payment token. */
function isSkyfire({ rpc, http }: Reading): boolean {
  const wantsToken = (text: string) => text.includes('skyfire-pay-id');
  if (http?.status === PAYMENT_REQUIRED) return http.headers['skyfire-pay-id'] !== undefined || wantsToken(http.body);
  const error = rpc?.get('error');
  return member(error, 'code') === PAYMENT_REQUIRED && wantsToken(textOf(member(error, 'message')));
}
