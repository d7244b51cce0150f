import type { RetryEdit, ServerAnswer } from '../../core/challenges/answer.ts';
import type { Challenge } from '../../core/challenges/dialect.ts';
import { detectChallenge } from '../../core/challenges/registry.ts';
import type { CallLimit, Outcome, PaidCall } from '../../core/payments/call.ts';
import type { Payments } from '../../core/payments/pay.ts';
import type { Clock } from '../../core/ports.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { systemResolve, type Resolve } from './address-guard.ts';
import { httpAnswerOf, httpAnswerOfText, httpFactsOf, textOfHttpAnswer, type HttpAnswer, type RawAnswer } from './http-answer.ts';
import { argumentsOf, checkRequest, serverNameOf, toolNameOf, type CheckedRequest, type HttpRequest } from './http-request.ts';
import { sendRequest } from './send-request.ts';

/** The owner's own purchases on the command line count under this client. */
export const OWNER_CLIENT = 'cli';

const FIRST_ANSWER_MS = 30_000;
const PAYMENT_REQUIRED = 402;

/** Who buys, as far as a payment needs to know. */
export interface Buyer extends Pick<PaidCall, 'client' | 'session' | 'seenIn' | 'signal' | 'progress' | 'agreed' | 'requireMayPay'> {
  /** The most that this one call may cost; the owner's limits hold beside it. */
  readonly limit?: CallLimit;
}

/** What became of a request. */
export type Purchase =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer; readonly paymentId: string; delivered(written: boolean): void }
  | Extract<Outcome, { kind: 'pending' | 'refusal' }>;

export interface HttpBuyer {
  /**
   * Sends a request, pays where it is answered with 402 and the policy or the owner allows it, and sends it once more with the proof.
   * Redirects are never followed. Throws `INPUT_INVALID`, `ADDRESS_FORBIDDEN`, `UPSTREAM_UNREACHABLE`, `UPSTREAM_REFUSED`,
   * `MESSAGE_TOO_LARGE` before anything was paid; what goes wrong afterwards is a refusal.
   */
  buy(request: HttpRequest, buyer: Buyer): Promise<Purchase>;
  /** Sends a request and reads what it is answered with; a request for money is not met. Throws as {@link HttpBuyer.buy} does, and for a request for money that cannot be read. */
  ask(request: HttpRequest, signal: AbortSignal): Promise<{ readonly answer: HttpAnswer; readonly challenge?: Challenge }>;
}

export interface HttpBuyerPorts {
  readonly payments: Pick<Payments, 'onAnswer'>;
  readonly clock: Pick<Clock, 'now'>;
  /** With real money, requests without TLS are refused. */
  readonly realMoney: boolean;
  /** Hosts that the owner opened: they may be private and without TLS. */
  readonly isOpen: (url: URL) => boolean;
  readonly resolve?: Resolve;
}

/** The one way in which paid HTTP APIs are bought. */
export function createHttpBuyer({ payments, clock, realMoney, isOpen, resolve = systemResolve }: HttpBuyerPorts): HttpBuyer {
  function check(request: HttpRequest): CheckedRequest {
    const checked = checkRequest(request);
    if (realMoney && checked.url.protocol !== 'https:' && !isOpen(checked.url)) {
      throw new BursarError('ADDRESS_FORBIDDEN', `With real money, ${checked.url.host} has to be reached by https.`, { context: { host: checked.url.host } });
    }
    return checked;
  }

  const send = (request: CheckedRequest, signal: AbortSignal): Promise<RawAnswer> => sendRequest(request, { anyAddress: isOpen(request.url), resolve, signal });

  const sendFirst = (checked: CheckedRequest, signal: AbortSignal): Promise<RawAnswer> => send(checked, AbortSignal.any([signal, AbortSignal.timeout(FIRST_ANSWER_MS)]));

  return {
    async ask(request, signal) {
      const first = await sendFirst(check(request), signal);
      const challenge = first.status === PAYMENT_REQUIRED ? detectChallenge({ http: httpFactsOf(first) }) : undefined;
      return { answer: httpAnswerOf(first), ...(challenge && { challenge }) };
    },

    async buy(request, { limit, signal, ...buyer }) {
      const startedAt = clock.now();
      const checked = check(request);
      const first = await sendFirst(checked, signal);
      const free = (): Purchase => ({ kind: 'answer', answer: httpAnswerOf(first), paymentId: '', delivered: () => {} });
      if (first.status !== PAYMENT_REQUIRED) return free();
      const outcome = await payments.onAnswer({
        ...buyer,
        signal,
        startedAt,
        upstream: serverNameOf(checked.url),
        tool: toolNameOf(checked),
        argumentsText: argumentsOf(checked, limit && limitWords(limit)),
        answer: { text: '', http: httpFactsOf(first) },
        ...(limit && { limit }),
        async retry(edit, until) {
          // Asked anew: the owner may have closed the host meanwhile.
          return answerOf(await send({ ...check(request), headers: withProof(checked, edit) }, until));
        },
      });
      switch (outcome.kind) {
        case 'pass':
          return free();
        case 'answer':
          return { kind: 'answer', answer: httpAnswerOfText(outcome.responseText), paymentId: outcome.paymentId, delivered: outcome.delivered };
        default:
          return outcome;
      }
    },
  };
}

/** Part of the call's identity: a call that may cost less must not wait for one that may cost more. */
const limitWords = ({ amount, unit }: CallLimit): string => `${amount} ${unit}`;

const answerOf = (raw: RawAnswer): ServerAnswer => ({ text: textOfHttpAnswer(httpAnswerOf(raw)), http: httpFactsOf(raw) });

const withProof = ({ headers }: CheckedRequest, edit: RetryEdit): Readonly<Record<string, string>> => ({
  ...headers,
  ...Object.fromEntries(Object.entries(edit.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
});
