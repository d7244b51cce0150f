import { IssuerMismatchError, OAuthError, OAuthErrorCode, RegistrationRejectedError } from '@modelcontextprotocol/client';
import { BursarError } from '../../shared/errors/errors.ts';

/** An OAuth error code as it may be shown: those of the registries are such words, and a server may write anything. */
const codeWord = (code: string): string => (/^[a-z_]{1,60}$/.test(code) ? code : 'an error of its own');

/**
 * What went wrong in a sign-in, in words of ours. What the SDK throws may quote a whole answer, tokens included, so nothing of it is passed on or
 * kept as a cause (I6).
 */
export function signInProblem(upstream: string, error: unknown): BursarError {
  if (error instanceof BursarError) return error;
  const fail = (why: string, hint?: string): BursarError => new BursarError('UPSTREAM_SIGN_IN_FAILED', `The sign-in to the server "${upstream}" failed: ${why}`, { ...(hint !== undefined && { hint }), context: { upstream } });
  if (error instanceof IssuerMismatchError) return fail('its authorization server gives itself another name than the one it was found under.');
  if (error instanceof OAuthError) return fail(`its authorization server answered ${codeWord(error.code)}.`);
  if (error instanceof RegistrationRejectedError) return fail(`its authorization server refused to register Bursar (HTTP ${error.status}).`, 'Register a client there yourself, then give its id: upstream add --oauth --client-id ID');
  return fail('its authorization server answered in a form that cannot be read.');
}

/** Does this answer of the authorization server mean that what was granted is over? Anything else may be better the next time. */
export const isOver = (error: unknown): boolean => error instanceof OAuthError && OVER.includes(error.code);
const OVER: readonly string[] = [OAuthErrorCode.InvalidGrant, OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient];
