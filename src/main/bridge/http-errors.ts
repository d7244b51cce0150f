import { BursarError } from '../../shared/errors/errors.ts';
import type { BridgeLimits } from './limits.ts';
import { EventTooLargeError } from './sse.ts';

/** What can go wrong with one HTTP server, in words that name it. */
export interface HttpErrors {
  /** Whatever was thrown, as an error for the client. */
  failure(error: unknown): BursarError;
  tooLarge(): BursarError;
  refused(status: number): BursarError;
}

export function httpErrors(upstream: string, { maxMessageBytes }: BridgeLimits): HttpErrors {
  const tooLarge = (): BursarError => {
    const limit = String(maxMessageBytes);
    return new BursarError('MESSAGE_TOO_LARGE', `The server "${upstream}" sent a message of more than ${limit} bytes.`, { context: { upstream, limit } });
  };
  return {
    tooLarge,
    failure(error) {
      if (error instanceof BursarError) return error;
      if (error instanceof EventTooLargeError) return tooLarge();
      const reason = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
      return new BursarError('UPSTREAM_UNREACHABLE', `The server "${upstream}" could not be reached (${reason}).`, { context: { upstream, reason }, cause: error });
    },
    refused: (status) => new BursarError('UPSTREAM_REFUSED', `The server "${upstream}" answered HTTP ${status}.`, { context: { upstream, status: String(status) }, hint: refusalHint(status) }),
  };
}

function refusalHint(status: number): string {
  if (status >= 300 && status < 400) return 'It redirects elsewhere, which is not followed. Set its final address.';
  if (status === 401 || status === 403) return 'Check the credentials that are configured for it, or sign in to it with: bursar upstream authorize NAME';
  if (status === 402) return 'It asked for a payment that cannot be read. Nothing was paid.';
  if (status === 404) return 'Check its address; if it worked before, its session has ended: reconnect.';
  return 'Try again later, or tell its operator.';
}
