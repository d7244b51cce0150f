import type { HttpFacts, RetryEdit, ServerAnswer } from '../../core/challenges/answer.ts';
import type { Scope } from '../../shared/access/scopes.ts';
import type { MessageScan } from './scan.ts';
import type { Edit } from './splice.ts';

/**
 * One `tools/call` of a client, as the payment side sees it. Every text is the client's own JSON, byte for byte. Where its server made a task of it, the call
 * is still what is paid; only the answer then goes to a request about the task.
 */
export interface ToolCall {
  readonly sessionId: string;
  /** The registered client that asks. */
  readonly client: string;
  /** What its token is limited to, where it is. */
  readonly scopes?: readonly Scope[];
  /** The configured name of the server that was asked. */
  readonly upstream: string;
  readonly tool: string;
  /** Raw JSON of `params.arguments`; `{}` when absent. */
  readonly argumentsText: string;
  /** Raw JSON of the whole request. */
  readonly requestText: string;
  /** Raw JSON of the id under which the client awaits the answer. */
  readonly idText: string;
  /** Raw JSON of `params._meta.progressToken`. */
  readonly progressToken?: string;
  /** When the request came (ms). */
  readonly startedAt: number;
  /** Aborted when the client cancels this request or goes away. */
  readonly signal: AbortSignal;
}

/** What the payment side may do with a call while it holds its answer. */
export interface CallIo {
  /**
   * Sends the call again under a fresh upstream id; every byte but the edit's members stays. Where its server makes a task of it again, the end of that is
   * waited for, for a minute. Resolves with the raw response carrying the
   * original id, or with an HTTP 402 that came instead (its `text` is empty). The signal cancels it upstream too; without one it runs on even when the client has gone.
   *
   * @throws {BursarError} UPSTREAM_EXITED, UPSTREAM_UNREACHABLE, UPSTREAM_REFUSED or MESSAGE_TOO_LARGE when no answer can come any more;
   *   the signal's reason when that was aborted.
   */
  retry(edit: RetryEdit, options?: { readonly signal?: AbortSignal }): Promise<ServerAnswer>;
  /** Sends `notifications/progress` to the client, if it gave a token and is still there. */
  progress(message: string): void;
}

/** The answer that takes the place of the upstream's. */
export interface HookAnswer {
  /** Raw JSON-RPC response under the client's own id. */
  readonly text: string;
  /** Called once: was it written to the client's request while that was still open? */
  readonly delivered: (written: boolean) => void;
  /** It is what the server gave for the payment, and no word of Bursar's. */
  readonly paid?: boolean;
}

/** Whose words an agent is about to read: a server's descriptions of its tools, its result of the `tools/call` in `requestText`, or that of a `tool` which Bursar called. */
export interface WordsSource {
  readonly client: string;
  readonly upstream: string;
  readonly requestText?: string;
  readonly tool?: string;
}

/** The payment side of the bridge. It sees `tools/call`, the answers to `tools/call` and `tools/list`, and what a server elicits; nothing else. */
export interface PaymentHook {
  /** Cheap and synchronous: may this answer concern a payment? False forwards it at once, in order. */
  looksPaid(scan: MessageScan, text: string): boolean;
  /** What the agent is shown of a `tools/list` answer otherwise than the server wrote it (I8's closed list). Notes prices. Returns at once. */
  listEdits?(upstream: string, scan: MessageScan, text: string): readonly Edit[];
  /** What is taken out of an agent's own `tools/call`: proofs, which only Bursar writes (I8's closed list). Returns at once. */
  callEdits?(upstream: string, scan: MessageScan, text: string): readonly Edit[];
  /** Takes note of an answer that goes on untouched. Has to return at once: the message is not held for it. */
  noteWords?(source: WordsSource, text: string): void;
  /** Takes note of a server's `elicitation/create`, which goes on untouched. Has to return at once. */
  noteElicitation?(upstream: string, text: string): void;
  /** Decides about one answer. `undefined` forwards it untouched. A rejection becomes a JSON-RPC error for the client. */
  onAnswer(call: ToolCall, answerText: string, io: CallIo): Promise<HookAnswer | undefined>;
  /** An HTTP 402 on the POST that carried the call. On `undefined` the client gets the JSON-RPC answer in its body, or else a readable error. */
  onHttpPaymentRequired?(call: ToolCall, refusal: HttpFacts, io: CallIo): Promise<HookAnswer | undefined>;
}
