import type { HttpFacts } from '../../core/challenges/answer.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { ClientChannel } from './channel.ts';
import type { Exchange, OpenRequest, RequestTable } from './exchange.ts';
import { textAt } from './json-text.ts';
import { idAtAnEnd } from './lines.ts';
import type { Log } from './log.ts';
import type { PaymentDesk, Verdict } from './payment-desk.ts';
import { idKey } from './request-id.ts';
import type { Retries } from './retries.ts';
import { channelFor } from './routing.ts';
import { answerTo } from './rpc-answer.ts';
import { errorResponse } from './rpc-error.ts';
import { scanPayload, type MessageScan, type PayloadScan } from './scan.ts';
import { splice, type Edit } from './splice.ts';
import { askAbout, begunTask } from './task-answers.ts';
import type { TaskCalls } from './task-calls.ts';
import type { AnswerHead, Upstream } from './upstream.ts';

/** How much of a message that is not JSON is searched for its id, at either end. */
const ID_SEARCH = 1024;

export interface AnswersOptions {
  readonly upstream: string;
  /** Carries what belongs to no exchange of its own. */
  readonly main: ClientChannel;
  readonly requests: RequestTable;
  readonly retries: Retries;
  readonly desk: PaymentDesk;
  readonly tasks: TaskCalls;
  readonly link: Pick<Upstream, 'send'>;
  readonly log: Log;
  /** Called when the payment side has decided about a request. */
  readonly onDecided: () => void;
}

/** What comes from a server, on its way to the client: each answer to the request that it is for, with the payment side in between. */
export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Takes in one payload of the server. */
  take(text: string, from?: Exchange, head?: AnswerHead): void {
    const { upstream, log, retries, desk, main, requests } = this.#options;
    let payload: PayloadScan;
    try {
      payload = scanPayload(text);
    } catch {
      log.warn('the server sent something that is not JSON; it was dropped', { upstream, length: text.length });
      const idText = idAtAnEnd(text.slice(0, ID_SEARCH), text.slice(-ID_SEARCH));
      if (idText !== undefined) this.lost(idText, new BursarError('MESSAGE_MALFORMED', `The server "${upstream}" sent an answer that is not JSON.`, { context: { upstream } }));
      return;
    }
    const status = failedStatus(head);
    if (payload.batch) {
      const strangers = payload.messages.filter((message) => !retries.settle(text, message, head) && !this.#isAnsweredTwice(text, message));
      if (strangers.length === payload.messages.length) this.#takeBatch(text, payload, from, status);
      else for (const { span } of strangers) this.take(textAt(text, span), from, head);
      return;
    }
    const [message] = payload.messages;
    if (message === undefined || retries.settle(text, message, head)) return;
    const request = this.#requestOf(text, message, from);
    // An HTTP error that names no request ends its exchange; that is how a retry hears of it.
    if (request === undefined && status !== undefined && retries.owns(from)) return;
    if (request === undefined && this.#isAnsweredTwice(text, message)) return;
    if (request === undefined) {
      desk.noteRequest(message, text);
      channelFor(text, message, from, requests, main).write(text, status === undefined ? {} : { status });
    } else if (desk.concerns(request, message, text)) {
      desk.decide(request, text, (verdict) => this.#put(request, verdict));
    } else {
      this.#noteTask(request, message, text);
      this.#answer(request, desk.shown(request, message, text), status);
      desk.noteWords(request, text);
    }
  }

  /** The answer to the request of this raw id came and could not be taken. */
  lost(idText: string, error: BursarError): void {
    const key = idKey(idText, { start: 0, end: idText.length });
    if (this.#options.retries.failOne(key, error)) return;
    const request = this.#options.requests.awaiting(key);
    if (request !== undefined) this.#fail(request, error);
  }

  /** The HTTP exchange is over. Requests in it that were not answered never will be. */
  end(exchange: Exchange, error?: BursarError, refusal?: HttpFacts): void {
    const { upstream, log, retries, desk } = this.#options;
    if (error !== undefined && exchange.unanswered.size === 0) log.debug('the server refused a message that has no answer', { upstream, reason: error.message });
    // The usual end: the answer has come.
    if (exchange.unanswered.size === 0 && !retries.owns(exchange)) return;
    const reason = error ?? new BursarError('UPSTREAM_UNREACHABLE', `The server "${upstream}" ended its answer without a result.`, { context: { upstream }, hint: 'Try again, or tell its operator.' });
    retries.fail(reason, exchange, refusal);
    for (const request of exchange.unanswered) {
      if (request.state !== 'awaiting') continue;
      const own = refusal && answerTo(refusal.body, request.key);
      const fallback = own ?? errorResponse(request.idText, reason);
      if (desk.decideRefusal(request, refusal, fallback, (verdict) => this.#put(request, verdict))) continue;
      if (request.abort.aborted) this.drop(request);
      else if (own === undefined) this.#fail(request, reason);
      else this.#answer(request, own, refusal?.status);
    }
  }

  /** No request that awaits its answer will get one. */
  failAll(error: BursarError): void {
    this.#options.retries.fail(error);
    for (const request of this.#options.requests.all()) if (request.state === 'awaiting') this.#fail(request, error);
  }

  /** Every request is answered with the error at once, also one about whose payment is being decided; that comes to its end without the client. */
  expelAll(error: BursarError): void {
    for (const request of this.#options.requests.all()) {
      const answer = errorResponse(request.idText, error);
      const { channel, unanswered } = request.exchange;
      if (request.state === 'awaiting') this.#answer(request, answer);
      else if (!request.abort.signal.aborted) channel.write(answer, { last: unanswered.size === 1 });
    }
  }

  /** The client wants no answer any more. */
  drop(request: OpenRequest): void {
    this.#options.requests.close(request);
    tellDelivery(request, false);
    const { channel, unanswered } = request.exchange;
    if (unanswered.size === 0) channel.end();
  }

  /** A batch answer is held as a whole while the payment side decides about any of its parts. */
  #takeBatch(text: string, { messages }: PayloadScan, from?: Exchange, status?: number): void {
    const { desk, requests, main } = this.#options;
    const parts = messages.map((message) => ({ message, request: this.#requestOf(text, message, from) }));
    const paid = parts.filter(({ message, request }) => request !== undefined && desk.concerns(request, message, text));
    const channel = parts.find(({ request }) => request !== undefined)?.request?.exchange.channel ?? from?.channel ?? main;
    const rest = parts.filter((part) => !paid.includes(part)).map(({ request }) => request);
    const finish = (edits: readonly Edit[], done?: (written: boolean) => void): void => {
      for (const request of rest) if (request !== undefined) requests.close(request);
      const answered = parts.flatMap(({ request }) => request ?? []);
      const last = answered.length > 0 && answered.every(({ exchange }) => exchange.unanswered.size === 0);
      channel.write(splice(text, edits), { last, ...(status === undefined ? {} : { status }), ...(done === undefined ? {} : { done }) });
    };
    for (const { message, request } of parts) if (request !== undefined && !paid.some((part) => part.request === request)) desk.noteWords(request, textAt(text, message.span));
    const edits: Edit[] = parts.flatMap(({ message, request }) => (request === undefined ? [] : desk.listEdits(request, message, text)));
    if (paid.length === 0) return finish(edits);
    for (const request of rest) if (request !== undefined) request.state = 'deciding';
    const reports: ((written: boolean) => void)[] = [];
    let waiting = paid.length;
    for (const { message, request } of paid) {
      if (request === undefined) continue;
      const original = textAt(text, message.span);
      desk.decide(request, original, ({ answer, delivered }) => {
        this.#settle(request);
        edits.push({ ...message.span, text: answer });
        if (delivered !== undefined) reports.push(delivered);
        if (--waiting === 0) finish(edits, (written) => reports.forEach((report) => report(written)));
      });
    }
  }

  /** While the payment side decides about an answer, another one must not reach the client before it: the client would take that and drop the goods. */
  #isAnsweredTwice(text: string, { kind, fields }: MessageScan): boolean {
    if (kind !== 'response' || fields.id === undefined || !this.#options.requests.isDeciding(idKey(text, fields.id))) return false;
    const { upstream, log } = this.#options;
    log.warn('the server answered a call a second time while its payment was decided; that was dropped', { upstream });
    return true;
  }

  #requestOf(text: string, { kind, fields }: MessageScan, from?: Exchange): OpenRequest | undefined {
    return kind === 'response' && fields.id !== undefined ? this.#options.requests.awaiting(idKey(text, fields.id), from) : undefined;
  }

  /** Remembers which call a task came of, because what asks for money may be the task's result. */
  #noteTask({ toolCallText, task, repeatedKey }: OpenRequest, message: MessageScan, text: string): void {
    if (toolCallText === undefined || task !== undefined) return;
    const taskId = begunTask(text, message);
    if (taskId !== undefined) this.#options.tasks.began(taskId, { callText: toolCallText, repeatedKey });
  }

  #answer(request: OpenRequest, text: string, status?: number): void {
    this.#options.requests.close(request);
    const { channel, unanswered } = request.exchange;
    const { delivered } = request;
    request.delivered = undefined;
    channel.write(text, { last: unanswered.size === 0, ...(status === undefined ? {} : { status }), ...(delivered === undefined ? {} : { done: delivered }) });
  }

  /** What was bought does not come with an error of Bursar's. */
  #fail(request: OpenRequest, error: BursarError): void {
    tellDelivery(request, false);
    this.#answer(request, errorResponse(request.idText, error));
  }

  /** Writes what the payment side has made of an answer, if the client still waits for it. */
  #put(request: OpenRequest, { answer, delivered, goesOnAs }: Verdict): void {
    const { exchange, task } = request;
    const { channel } = exchange;
    const isAwaited = channel.open && (!request.abort.aborted || request.taskCancelled === true);
    if (goesOnAs !== undefined && task !== undefined && isAwaited) {
      request.state = 'awaiting';
      request.delivered = delivered;
      this.#options.onDecided();
      this.#options.link.send({ text: askAbout(task.text, goesOnAs, { fresh: false }).text, exchange, headersAnew: true, awaited: () => request.state === 'awaiting' });
      return;
    }
    this.#settle(request);
    const last = exchange.unanswered.size === 0;
    if (delivered !== undefined && !isAwaited) {
      if (last) channel.end();
      delivered(false);
      return;
    }
    channel.write(answer, { last, ...(delivered === undefined ? {} : { done: delivered }) });
  }

  #settle(request: OpenRequest): void {
    this.#options.requests.close(request);
    this.#options.onDecided();
  }
}

function tellDelivery(request: OpenRequest, written: boolean): void {
  request.delivered?.(written);
  request.delivered = undefined;
}

/** An HTTP status that the client has to see too. */
const failedStatus = (head: AnswerHead | undefined): number | undefined => (head === undefined || (head.status >= 200 && head.status < 300) ? undefined : head.status);
