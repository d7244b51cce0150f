import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { NetworkId } from '../../../core/registry/networks.ts';
import { BursarError, isBursarError, toErrorInfo } from '../../../shared/errors/errors.ts';
import type { Log } from '../../../core/ports.ts';

/** The lists of seed 001: the first one is asked first. */
export const DEFAULT_FACILITATORS: readonly string[] = ['https://x402.org/facilitator', 'https://facilitator.payai.network'];

const TRY_MS = 5_000;
/** Waits before the second and the third try. */
const RETRY_AFTER_MS = [500, 1_000] as const;
const MAX_ANSWER_BYTES = 1 << 20;

const settlement = z.object({ success: z.boolean(), errorReason: z.string().nullish(), transaction: z.string().nullish() });
const supported = z.object({ kinds: z.array(z.object({ network: z.string(), extra: z.looseObject({ feePayer: z.string().optional() }).nullish() })) });

/** What a facilitator says of a settlement. It proves nothing: the chain does. */
export interface Settlement {
  /** Who said it. */
  readonly facilitator: string;
  readonly transaction: string;
}

/** The facilitators that Bursar itself settles with, in order, each tried three times where it fails by itself. */
export interface Facilitators {
  /**
   * Sends a proof to be settled: the same text to each, until one took it. `feePayer` (Solana) keeps it from those that do not have that
   * key. Throws `SETTLEMENT_FAILED` where one answered and refused, `FACILITATOR_ERROR` where none answered. Either way the money may
   * have moved.
   */
  settle(request: { readonly network: NetworkId; readonly body: string; readonly feePayer?: string; readonly signal: AbortSignal }): Promise<Settlement>;
  /** The Solana key that the first of them that answers pays fees with. Throws `FACILITATOR_ERROR`. */
  feePayer(network: NetworkId, signal: AbortSignal): Promise<string>;
}

export interface FacilitatorsOptions {
  /** Addresses for a network, the preferred one first. */
  readonly addresses: (network: NetworkId) => readonly string[];
  readonly log: Log;
  /** Longest time of one try, and the waits between them; tests shorten them. */
  readonly tryMs?: number;
  readonly retryAfterMs?: readonly number[];
}

export function createFacilitators({ addresses, log, tryMs = TRY_MS, retryAfterMs = RETRY_AFTER_MS }: FacilitatorsOptions): Facilitators {
  const ask = createAsk({ tryMs, retryAfterMs });

  async function feePayersOf(address: string, network: NetworkId, signal: AbortSignal): Promise<readonly string[]> {
    const { kinds } = supported.parse((await ask(`${address}/supported`, undefined, signal)).body);
    return kinds.filter((kind) => kind.network === network).flatMap(({ extra }) => extra?.feePayer ?? []);
  }

  /** Gives the first answer that `work` takes; a refusal counts more than a silence. */
  async function inOrder<T>(network: NetworkId, work: (address: string) => Promise<T>): Promise<T> {
    const failures: BursarError[] = [];
    for (const address of addresses(network).map((url) => url.replace(/\/$/, ''))) {
      try {
        return await work(address);
      } catch (error) {
        log.warn('a facilitator failed', { facilitator: hostOf(address), network, why: toErrorInfo(error).message });
        failures.push(isBursarError(error) ? error : new BursarError('FACILITATOR_ERROR', `The facilitator ${hostOf(address)} answered in a form that is not known.`));
      }
    }
    const words = [...new Set(failures.map(({ message }) => message))].join(' ');
    const refused = failures.some(({ code }) => code === 'SETTLEMENT_FAILED');
    throw new BursarError(refused ? 'SETTLEMENT_FAILED' : 'FACILITATOR_ERROR', words || `No facilitator is set for ${network}.`);
  }

  return {
    settle: ({ network, body, feePayer, signal }) =>
      inOrder(network, async (address) => {
        const host = hostOf(address);
        if (feePayer !== undefined && !(await feePayersOf(address, network, signal)).includes(feePayer)) {
          throw new BursarError('FACILITATOR_ERROR', `The facilitator ${host} does not pay fees with the key that the payment names.`);
        }
        const { status, body: answer } = await ask(`${address}/settle`, body, signal);
        const read = settlement.safeParse(answer);
        if (read.success && read.data.success) return { facilitator: host, transaction: read.data.transaction ?? '' };
        const why = read.success && read.data.errorReason ? read.data.errorReason : `HTTP ${status}`;
        throw new BursarError('SETTLEMENT_FAILED', `The facilitator ${host} did not settle the payment: ${why.slice(0, 200)}.`, { context: { facilitator: host, reason: why.slice(0, 200) } });
      }),

    feePayer: (network, signal) =>
      inOrder(network, async (address) => {
        const [key] = await feePayersOf(address, network, signal);
        if (key === undefined) throw new BursarError('FACILITATOR_ERROR', `The facilitator ${hostOf(address)} does not settle on ${network}.`);
        return key;
      }),
  };
}

/** Asks once more after a failure of the server's own or none at all; never after a 4xx. Throws `FACILITATOR_ERROR`. */
function createAsk({ tryMs, retryAfterMs }: { tryMs: number; retryAfterMs: readonly number[] }) {
  async function once(url: string, body: string | undefined, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
    const failed = (why: string) => new BursarError('FACILITATOR_ERROR', `The facilitator ${hostOf(url)} ${why}.`, { context: { facilitator: hostOf(url) } });
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      // A redirect would carry the proof to whomever it names.
      redirect: 'error',
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(tryMs)]),
    }).catch((error: unknown) => {
      throw failed(error instanceof Error && error.name === 'TimeoutError' ? 'did not answer in time' : 'cannot be reached');
    });
    const text = await response.text().catch(() => {
      throw failed('broke off its answer');
    });
    if (response.status >= 500) throw failed(`answered HTTP ${response.status}`);
    return { status: response.status, body: text.length > MAX_ANSWER_BYTES ? undefined : parse(text) };
  }

  return async (url: string, body: string | undefined, signal: AbortSignal): Promise<{ status: number; body: unknown }> => {
    for (const pause of retryAfterMs) {
      try {
        return await once(url, body, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        await wait(pause, undefined, { signal }).catch(() => {});
      }
    }
    return once(url, body, signal);
  };
}

const hostOf = (url: string): string => new URL(url).host;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
