import type { FetchLike } from '@modelcontextprotocol/client';
import { BursarError } from '../../shared/errors/errors.ts';
import { systemResolve, type Resolve } from '../http-buyer/address-guard.ts';
import { sendRequest } from '../http-buyer/send-request.ts';
import type { AddressRule } from './addresses.ts';

const TIMEOUT_MS = 15_000;
/** Metadata, registrations and tokens are a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const BODYLESS = [101, 204, 205, 304];

export interface AuthFetchOptions {
  readonly rule: AddressRule;
  /** Ends every request. */
  readonly signal?: AbortSignal;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

/**
 * The `fetch` of every request about a sign-in: to addresses that the rule allows, checked again when a name is resolved, each bounded in time and
 * size. A redirect is an answer; the SDK asks anew for its target, within the origin alone. Throws `ADDRESS_FORBIDDEN`, `UPSTREAM_UNREACHABLE`,
 * `MESSAGE_TOO_LARGE`, `UPSTREAM_SIGN_IN_FAILED`.
 */
export function createAuthFetch({ rule, signal, resolve = systemResolve, timeoutMs = TIMEOUT_MS }: AuthFetchOptions): FetchLike {
  return async (target, init = {}) => {
    const url = new URL(target);
    rule.require(url);
    if (url.username !== '' || url.password !== '') throw new BursarError('UPSTREAM_SIGN_IN_FAILED', `The server leads its sign-in to ${url.host} with a user name.`);
    const body = bodyOf(init.body);
    const late = AbortSignal.timeout(timeoutMs);
    const answer = await sendRequest(
      { url, method: init.method ?? 'GET', headers: Object.fromEntries(new Headers(init.headers)), ...(body && { body }) },
      { anyAddress: rule.isOpen(url), resolve, signal: signal ? AbortSignal.any([signal, late]) : late, maxBytes: MAX_BYTES },
    );
    const headers = new Headers();
    for (const [name, values] of Object.entries(answer.headers)) for (const value of values ?? []) headers.append(name, value);
    return new Response(BODYLESS.includes(answer.status) ? null : Uint8Array.from(answer.body), { status: answer.status, headers });
  };
}

/** The two forms of body that the SDK's requests have. */
function bodyOf(body: RequestInit['body']): Uint8Array | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return new TextEncoder().encode(String(body));
  throw new TypeError('a request of a sign-in has a body of an unknown form');
}
