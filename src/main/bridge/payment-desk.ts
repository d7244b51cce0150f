import type { HttpFacts } from '../../core/challenges/answer.ts';
import type { Scope } from '../../shared/access/scopes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { OpenRequest } from './exchange.ts';
import { stringAt, textAt } from './json-text.ts';
import type { Log } from './log.ts';
import { createOwnProgress } from './own-progress.ts';
import type { CallIo, HookAnswer, PaymentHook, ToolCall } from './payment-hook.ts';
import type { Retries } from './retries.ts';
import { errorResponse } from './rpc-error.ts';
import { scanPayload, type MessageScan, type PayloadScan } from './scan.ts';
import { splice, type Edit } from './splice.ts';
import { begunTaskIn, callResponseIn, withCallResponse, withTaskId } from './task-answers.ts';
import type { TaskCalls, TaskRequest } from './task-calls.ts';
import { toolCallParts, withId } from './tool-call.ts';

const PAYMENT_REQUIRED = 402;

export interface PaymentDeskOptions {
  readonly sessionId: string;
  readonly client: string;
  readonly scopes?: readonly Scope[];
  readonly upstream: string;
  readonly hook: PaymentHook;
  readonly retries: Retries;
  readonly tasks: TaskCalls;
  readonly log: Log;
}

/** What becomes of an answer that was laid before the payment side. */
export interface Verdict {
  /** What the client gets. */
  readonly answer: string;
  /** There where the payment side wants to hear of the delivery. */
  readonly delivered?: (written: boolean) => void;
  /** The task that the paid call runs in: the client's request goes on to it, and its answer is the client's. Then `answer` is what could be said otherwise. */
  readonly goesOnAs?: string;
}

/** Takes the verdict about a decided request. */
export type PutAnswer = (verdict: Verdict) => void;

/** Where a session lays answers before the payment side, and takes them back. */
export class PaymentDesk {
  readonly #options: PaymentDeskOptions;

  constructor(options: PaymentDeskOptions) {
    this.#options = options;
  }

  /** May this answer concern a payment? Nothing is paid for a call that the client has cancelled already, and nothing twice for one task. */
  concerns(request: OpenRequest, message: MessageScan, text: string): boolean {
    const { task } = request;
    if (request.toolCallText === undefined || request.abort.aborted || task?.call.successor !== undefined) return false;
    try {
      if (task === undefined) return this.#options.hook.looksPaid(message, text);
      const response = callResponseIn(task.form, text, message);
      const [inner] = response === undefined ? [] : scanPayload(response).messages;
      return response !== undefined && inner !== undefined && this.#options.hook.looksPaid(inner, response);
    } catch (error) {
      this.#logFailure('the payment side failed to classify an answer', error);
      // What cannot be classified must not slip through; the payment side then fails in the open.
      return true;
    }
  }

  /** Tells the payment side of an answer that goes on untouched and that the agent will read. */
  noteWords({ toolCallText, listsTools }: OpenRequest, text: string): void {
    const { client, upstream, hook } = this.#options;
    if (toolCallText !== undefined || listsTools) hook.noteWords?.({ client, upstream, ...(toolCallText !== undefined && { requestText: toolCallText }) }, text);
  }

  /** Tells the payment side what a server asks the person for; any other request is none of its business. */
  noteRequest({ fields, span }: MessageScan, text: string): void {
    if (stringAt(text, fields.method) === 'elicitation/create') this.#options.hook.noteElicitation?.(this.#options.upstream, textAt(text, span));
  }

  /** A client's payload without the proofs that its agent put there itself. The very same where there are none. */
  withoutProofs(text: string, payload: PayloadScan): { readonly text: string; readonly payload: PayloadScan } {
    const { upstream, hook } = this.#options;
    const calls = payload.messages.filter(({ fields }) => fields['params.name'] !== undefined && fields.method !== undefined);
    const edits = calls.flatMap((message) => this.#edits('a call', () => hook.callEdits?.(upstream, message, text)));
    if (edits.length === 0) return { text, payload };
    const cut = splice(text, edits);
    return { text: cut, payload: scanPayload(cut) };
  }

  /** An answer as the client gets it: a list of tools as the agent is shown it, and a task under the name that its client knows. */
  shown(request: OpenRequest, message: MessageScan, text: string): string {
    const { task } = request;
    if (task?.call.successor !== undefined) return withTaskId(text, task.call.successor, task.taskId);
    const edits = this.listEdits(request, message, text);
    return edits.length === 0 ? text : splice(text, edits);
  }

  /** How a list of tools is shown to the agent. None for any other answer. */
  listEdits({ listsTools }: OpenRequest, message: MessageScan, text: string): readonly Edit[] {
    const { upstream, hook } = this.#options;
    return listsTools ? this.#edits('a list of tools', () => hook.listEdits?.(upstream, message, text)) : [];
  }

  /** What the payment side cannot read passes as it came. */
  #edits(what: string, ask: () => readonly Edit[] | undefined): readonly Edit[] {
    try {
      return ask() ?? [];
    } catch (error) {
      this.#logFailure(`the payment side failed to look at ${what}`, error);
      return [];
    }
  }

  /** Has the payment side decide about an answer; `put` gets its word, or the answer itself. */
  decide(request: OpenRequest, answer: string, put: PutAnswer): void {
    const { task } = request;
    if (task?.call.paid !== undefined) return put({ answer: withCallResponse(task, answer, repeatedAnswer(request, task.call.paid.responseText)) });
    const [message] = scanPayload(answer).messages;
    const response = (task && message && callResponseIn(task.form, answer, message)) ?? answer;
    this.#ask(request, answer, put, (call, io) => this.#options.hook.onAnswer(call, response, io));
  }

  /** The same for an HTTP refusal; false where that is no matter of payment. */
  decideRefusal(request: OpenRequest, refusal: HttpFacts | undefined, fallback: string, put: PutAnswer): boolean {
    const { hook } = this.#options;
    if (refusal?.status !== PAYMENT_REQUIRED || request.toolCallText === undefined || request.abort.aborted || hook.onHttpPaymentRequired === undefined) return false;
    // What asks for the state of a task must be answered with one, and a refusal holds none.
    if (request.task !== undefined && (request.task.form !== 'result' || request.task.call.successor !== undefined || request.task.call.paid !== undefined)) return false;
    this.#ask(request, fallback, put, (call, io) => hook.onHttpPaymentRequired?.(call, refusal, io) ?? Promise.resolve(undefined));
    return true;
  }

  #ask(request: OpenRequest, original: string, put: PutAnswer, ask: (call: ToolCall, io: CallIo) => Promise<HookAnswer | undefined>): void {
    const { sessionId, client, scopes, upstream } = this.#options;
    const { idText, task } = request;
    const shown = (response: string): string => (task === undefined ? response : withCallResponse(task, original, response));
    request.state = 'deciding';
    if (request.repeatedKey !== undefined) return put({ answer: shown(ambiguous(idText, request.repeatedKey)) });
    const requestText = request.toolCallText ?? '';
    const { progressToken: ofCall, ...parts } = toolCallParts(requestText);
    // Progress is shown with the request that waits.
    const progressToken = task === undefined ? ofCall : toolCallParts(task.text).progressToken;
    const call: ToolCall = { sessionId, client, ...(scopes && { scopes }), upstream, ...parts, ...(progressToken !== undefined && { progressToken }), requestText, idText, startedAt: request.startedAt, signal: request.abort.signal };
    const verdict = (answer: HookAnswer): Verdict => {
      const goesOnAs = task && answer.paid === true ? this.#noteTask(task, answer.text) : undefined;
      return { answer: shown(answer.text), delivered: this.#guarded(answer.delivered), ...(goesOnAs !== undefined && { goesOnAs }) };
    };
    // Inside of the chain, so that a hook that throws at once is caught as well.
    Promise.resolve()
      .then(() => ask(call, this.#callIo(request, progressToken)))
      .then(
        (answer) => put(answer === undefined ? { answer: original } : verdict(answer)),
        (error: unknown) => {
          this.#logFailure('the payment side failed', error);
          put({ answer: shown(errorResponse(idText, error)) });
        },
      );
  }

  /** Remembers what was bought for a task: the client may ask for it again. Gives the task that the paid call runs in, where it has not come to its end. */
  #noteTask({ taskId, call }: TaskRequest, response: string): string | undefined {
    const begun = begunTaskIn(response);
    if (begun !== undefined) call.successor = begun;
    else if (call.successor === undefined) this.#options.tasks.keep(taskId, response);
    return begun;
  }

  #callIo(request: OpenRequest, progressToken: string | undefined): CallIo {
    const { channel } = request.exchange;
    const progressText = progressToken === undefined ? undefined : createOwnProgress(progressToken);
    return {
      retry: async (edit, options) => this.#options.retries.send(request, edit, options?.signal),
      progress: (message) => {
        if (progressText === undefined || request.state === 'closed' || request.abort.aborted || !channel.open || !channel.streams) return;
        channel.write(progressText(message));
      },
    };
  }

  /** The payment side hears of the delivery in the middle of a write; what it throws must not end Bursar. */
  #guarded(delivered: (written: boolean) => void): (written: boolean) => void {
    return (written) => {
      try {
        delivered(written);
      } catch (error) {
        this.#logFailure('the payment side failed to note a delivery', error);
      }
    };
  }

  #logFailure(message: string, error: unknown): void {
    const { client, upstream, log } = this.#options;
    log.error(message, { client, upstream, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** I2: what the server reads out of such a call may be another than what the owner would approve. */
const ambiguous = (idText: string, field: string): string =>
  errorResponse(idText, new BursarError('INPUT_INVALID', `The server asked for money for a call that holds "${field}" twice. Nothing was paid.`, { context: { field }, hint: 'Repeat the call with each key once.' }));

/** What a task was paid for is given again; nothing is bought again by asking for it (I1). */
function repeatedAnswer({ idText }: OpenRequest, responseText: string | undefined): string {
  if (responseText !== undefined) return withId(responseText, idText);
  return errorResponse(idText, new BursarError('SECOND_CHALLENGE', 'This task was paid for, and its answer was given. It is too long to be kept, and the server asks for money again.'));
}
