import { setTimeout as delay } from 'node:timers/promises';
import type { HttpFacts, RetryEdit, ServerAnswer } from '../../core/challenges/answer.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Exchange, OpenRequest } from './exchange.ts';
import { idKey } from './request-id.ts';
import { scanPayload, type MessageScan } from './scan.ts';
import { askAbout, begunTaskIn, callResponseIn, taskStateIn } from './task-answers.ts';
import type { TaskRequest } from './task-calls.ts';
import { retryText, withId } from './tool-call.ts';
import type { AnswerHead, Outgoing, Upstream } from './upstream.ts';

const PAYMENT_REQUIRED = 402;
/** So many ids of retries that are over are remembered, because their answers may still come, or come twice. */
const PAST_LIMIT = 256;
const POLL_MS = { least: 100, usual: 1_000, most: 5_000 };

interface Retry {
  readonly exchange: Exchange;
  readonly resolve: (answer: ServerAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** What one request of Bursar's own is like. */
interface Sending extends Pick<Outgoing, 'text' | 'paid' | 'proof' | 'headersAnew'> {
  /** Raw JSON of its id. */
  readonly idText: string;
}

/** The calls that the payment side sends a second time: under ids of Bursar's own, out of the client's sight. */
export class Retries {
  readonly #link: Pick<Upstream, 'send'>;
  readonly #taskMs: number;
  readonly #open = new Map<string, Retry>();
  readonly #past = new Set<string>();

  constructor(link: Pick<Upstream, 'send'>, taskMs: number) {
    this.#link = link;
    this.#taskMs = taskMs;
  }

  /** See `CallIo.retry`. What else comes in the retry's HTTP stream goes where the first call's went. */
  async send(request: OpenRequest, edit: RetryEdit, signal?: AbortSignal): Promise<ServerAnswer> {
    const { task, toolCallText = '' } = request;
    const proof = edit.headers === undefined ? {} : { proof: lowerCased(edit.headers) };
    const first = await this.#ask(request, { ...retryText(toolCallText, edit), paid: true, headersAnew: task !== undefined, ...proof }, signal);
    const taskId = task && first.text !== '' ? begunTaskIn(first.text) : undefined;
    if (task === undefined || taskId === undefined) return first;
    // From here on, who asks about the first task means this one.
    task.call.successor = taskId;
    const late = AbortSignal.timeout(this.#taskMs);
    try {
      return (await this.#followed(request, task, taskId, signal === undefined ? late : AbortSignal.any([signal, late]))) ?? first;
    } catch (error) {
      if (late.aborted && signal?.aborted !== true) return first;
      throw error;
    }
  }

  /** The paid call's own response once its task has come to its end; undefined where the task wants something of the client first. */
  async #followed(request: OpenRequest, { form, text }: TaskRequest, taskId: string, signal: AbortSignal): Promise<ServerAnswer | undefined> {
    for (;;) {
      const answer = await this.#ask(request, { ...askAbout(text, taskId, { fresh: true }), headersAnew: true }, signal);
      if (form === 'result' || answer.text === '') return answer;
      const [message] = scanPayload(answer.text).messages;
      const response = message && callResponseIn(form, answer.text, message);
      if (response !== undefined) return { ...answer, text: response };
      const { status, pollMs } = taskStateIn(answer.text);
      if (status === 'input_required') return undefined;
      if (status === undefined) return answer;
      if (status !== 'working') throw new BursarError('UPSTREAM_REFUSED', `The server ended the task of the paid call (${status.slice(0, 30)}).`);
      await delay(Math.min(Math.max(pollMs ?? POLL_MS.usual, POLL_MS.least), POLL_MS.most), undefined, { signal });
    }
  }

  #ask(request: OpenRequest, { idText, ...message }: Sending, signal: AbortSignal | undefined): Promise<ServerAnswer> {
    const key = keyOf(idText);
    const { channel, headers } = request.exchange;
    const exchange: Exchange = { channel, unanswered: new Set(), ...(headers === undefined ? {} : { headers }) };
    return new Promise<ServerAnswer>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = (): void => {
        if (!this.#close(key)) return;
        this.#link.send({ text: cancelText(idText), exchange: { channel, unanswered: new Set() }, cancels: exchange });
        reject(signal?.reason);
      };
      const finish = (act: () => void): void => {
        signal?.removeEventListener('abort', cancel);
        act();
      };
      this.#open.set(key, {
        exchange,
        resolve: (answer) => finish(() => resolve({ ...answer, text: answer.text && withId(answer.text, request.idText) })),
        reject: (reason) => finish(() => reject(reason)),
      });
      signal?.addEventListener('abort', cancel, { once: true });
      this.#link.send({ ...message, exchange, awaited: () => this.#open.has(key) });
    });
  }

  /** Takes the message if it answers a retry. One that comes late or twice is dropped: the client knows nothing of its id. */
  settle(text: string, { kind, fields, span }: MessageScan, head?: AnswerHead): boolean {
    if (this.#open.size + this.#past.size === 0 || kind !== 'response' || fields.id === undefined) return false;
    const key = idKey(text, fields.id);
    const retry = this.#close(key);
    retry?.resolve({ text: text.slice(span.start, span.end), ...(head && { http: { status: head.status, headers: head.headers, body: '' } }) });
    return retry !== undefined || this.#past.has(key);
  }

  #close(key: string): Retry | undefined {
    const retry = this.#open.get(key);
    if (retry === undefined) return undefined;
    this.#open.delete(key);
    this.#past.add(key);
    const [oldest] = this.#past;
    if (this.#past.size > PAST_LIMIT && oldest !== undefined) this.#past.delete(oldest);
    return retry;
  }

  /** Does this exchange carry a retry that has no answer yet? */
  owns(exchange: Exchange | undefined): boolean {
    return [...this.#open.values()].some((retry) => retry.exchange === exchange);
  }

  /** The answer under this id key came and could not be taken. False if no retry waits for it. */
  failOne(key: string, error: BursarError): boolean {
    const retry = this.#close(key);
    retry?.reject(error);
    return retry !== undefined;
  }

  /** No answer can come any more: in one exchange, or in any. An HTTP 402 is an answer: the server's word about the proof. */
  fail(error: BursarError, exchange?: Exchange, refusal?: HttpFacts): void {
    for (const [key, retry] of this.#open) {
      if (exchange !== undefined && retry.exchange !== exchange) continue;
      this.#close(key);
      if (refusal?.status === PAYMENT_REQUIRED) retry.resolve({ text: '', http: refusal });
      else retry.reject(error);
    }
  }
}

/** Header names have no case, and two spellings of one would both be sent. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The notification that calls off the request of this raw id. */
export const cancelText = (idText: string): string => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${idText}}}`;

const keyOf = (idText: string): string => idKey(idText, { start: 0, end: idText.length });
