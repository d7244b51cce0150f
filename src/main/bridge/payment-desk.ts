import type { HttpFacts } from '../../core/challenges/answer.ts';
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
import { toolCallParts } from './tool-call.ts';

const PAYMENT_REQUIRED = 402;

export interface PaymentDeskOptions {
  readonly sessionId: string;
  readonly client: string;
  readonly upstream: string;
  readonly hook: PaymentHook;
  readonly retries: Retries;
  readonly log: Log;
}

/** Takes the answer of a decided request. `delivered` is there where the payment side wants to hear of the delivery. */
export type PutAnswer = (answer: string, delivered?: (written: boolean) => void) => void;

/** Where a session lays answers before the payment side, and takes them back. */
export class PaymentDesk {
  readonly #options: PaymentDeskOptions;

  constructor(options: PaymentDeskOptions) {
    this.#options = options;
  }

  /** May this answer concern a payment? Nothing is paid for a call that the client has cancelled already. */
  concerns(request: OpenRequest, message: MessageScan, text: string): boolean {
    if (request.toolCallText === undefined || request.abort.signal.aborted) return false;
    try {
      return this.#options.hook.looksPaid(message, text);
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
    this.#ask(request, answer, put, (call, io) => this.#options.hook.onAnswer(call, answer, io));
  }

  /** The same for an HTTP refusal; false where that is no matter of payment. */
  decideRefusal(request: OpenRequest, refusal: HttpFacts | undefined, fallback: string, put: PutAnswer): boolean {
    const { hook } = this.#options;
    if (refusal?.status !== PAYMENT_REQUIRED || request.toolCallText === undefined || request.abort.signal.aborted || hook.onHttpPaymentRequired === undefined) return false;
    this.#ask(request, fallback, put, (call, io) => hook.onHttpPaymentRequired?.(call, refusal, io) ?? Promise.resolve(undefined));
    return true;
  }

  #ask(request: OpenRequest, original: string, put: PutAnswer, ask: (call: ToolCall, io: CallIo) => Promise<HookAnswer | undefined>): void {
    const { sessionId, client, upstream } = this.#options;
    request.state = 'deciding';
    if (request.repeatedKey !== undefined) return this.#refuseAmbiguous(request, request.repeatedKey, put);
    const requestText = request.toolCallText ?? '';
    const parts = toolCallParts(requestText);
    const call: ToolCall = { sessionId, client, upstream, ...parts, requestText, startedAt: request.startedAt, signal: request.abort.signal };
    // Inside of the chain, so that a hook that throws at once is caught as well.
    Promise.resolve()
      .then(() => ask(call, this.#callIo(request, parts.progressToken)))
      .then(
        (answer) => put(answer?.text ?? original, answer === undefined ? undefined : this.#guarded(answer.delivered)),
        (error: unknown) => {
          this.#logFailure('the payment side failed', error);
          put(errorResponse(request.idText, error));
        },
      );
  }

  /** I2: what the server reads out of such a call may be another than what the owner would approve. */
  #refuseAmbiguous(request: OpenRequest, field: string, put: PutAnswer): void {
    const error = new BursarError('INPUT_INVALID', `The server asked for money for a call that holds "${field}" twice. Nothing was paid.`, { context: { field }, hint: 'Repeat the call with each key once.' });
    put(errorResponse(request.idText, error));
  }

  #callIo(request: OpenRequest, progressToken: string | undefined): CallIo {
    const { channel } = request.exchange;
    const progressText = progressToken === undefined ? undefined : createOwnProgress(progressToken);
    return {
      retry: async (edit, options) => this.#options.retries.send(request, edit, options?.signal),
      progress: (message) => {
        if (progressText === undefined || request.state === 'closed' || request.abort.signal.aborted || !channel.open || !channel.streams) return;
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
