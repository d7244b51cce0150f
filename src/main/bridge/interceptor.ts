import type { Outcome, PaidCall } from '../../core/payments/call.ts';
import type { Payments } from '../../core/payments/pay.ts';
import type { SeenIn } from '../../core/policy/provenance.ts';
import type { Clock } from '../../core/ports.ts';
import { errorText, type ErrorInfo } from '../../shared/errors/errors.ts';
import type { CallIo, HookAnswer, PaymentHook, ToolCall } from './payment-hook.ts';
import { scanPayload } from './scan.ts';
import { createServerWords } from './server-words.ts';
import { splice } from './splice.ts';

/** Where the bridge and the payment core meet: hands challenges over and turns outcomes into answers for the client. */
export function createInterceptor(payments: Payments, clock: Pick<Clock, 'now'>): PaymentHook {
  const words = createServerWords(() => clock.now());
  return {
    noteWords: (source, text) => words.note(source, text),

    looksPaid: (scan, text) => {
      const isError = scan.fields['result.isError'];
      return isError !== undefined && text.startsWith('true', isError.start) && text.slice(scan.span.start, scan.span.end).includes('x402Version');
    },

    async onAnswer(call, answerText, io) {
      const outcome = await payments.onAnswer(paidCall(call, answerText, io, words.seenIn(call.client)));
      switch (outcome.kind) {
        case 'pass':
          words.note(call, answerText);
          return undefined;
        case 'answer':
          words.note(call, outcome.responseText);
          return { text: underIdOf(outcome.responseText, answerText), delivered: outcome.delivered };
        case 'pending':
          return pendingAnswer(answerText, call, outcome);
        case 'refusal':
          return refusalAnswer(answerText, outcome.error, outcome.paymentId);
      }
    },
  };
}

function paidCall(call: ToolCall, answerText: string, io: CallIo, seenIn: SeenIn): PaidCall {
  return {
    client: call.client,
    session: call.sessionId,
    seenIn,
    upstream: call.upstream,
    tool: call.tool,
    argumentsText: call.argumentsText,
    answerText,
    startedAt: call.startedAt,
    signal: call.signal,
    retry: (meta, signal) => io.retry({ meta }, { signal }),
    progress: (message) => io.progress(message),
  };
}

/** A joined or kept answer was given under another request's id. */
function underIdOf(responseText: string, answerText: string): string {
  const id = scanPayload(responseText).messages[0]?.fields.id;
  return id ? splice(responseText, [{ ...id, text: idText(answerText) }]) : responseText;
}

/** A tool result that the agent can read: clients hide `structuredContent` where `isError` is set, so all of it stands in the text. */
function refusalAnswer(answerText: string, error: ErrorInfo, paymentId: string): HookAnswer {
  const payment = { code: error.code, message: error.message, hint: error.hint, ...(paymentId && { paymentId }) };
  const result = { content: [{ type: 'text', text: errorText(error) }], isError: true, _meta: { 'bursar/payment': payment } };
  return { text: `{"jsonrpc":"2.0","id":${idText(answerText)},"result":${JSON.stringify(result)}}`, delivered: () => {} };
}

/**
 * The owner has not decided, and the client would give up soon. An error result without `structuredContent`, because anything else would
 * have to fit the tool's `outputSchema`, or SDK clients throw it away; the text is all that an agent needs.
 */
function pendingAnswer(answerText: string, { upstream, tool }: ToolCall, { paymentId, expiresAt }: Extract<Outcome, { kind: 'pending' }>): HookAnswer {
  const until = new Date(expiresAt).toISOString();
  const text =
    `payment_pending: server "${upstream}" asks for money for tool "${tool}", and the owner has not decided yet. Nothing was paid. ` +
    `To continue, call the same tool again with the same arguments: it waits on, and is paid at most once. The request ${paymentId} is open until ${until}. (PAYMENT_PENDING)`;
  const result = { content: [{ type: 'text', text }], isError: true, _meta: { 'bursar/payment': { status: 'payment_pending', paymentId, expiresAt: until } } };
  return { text: `{"jsonrpc":"2.0","id":${idText(answerText)},"result":${JSON.stringify(result)}}`, delivered: () => {} };
}

function idText(responseText: string): string {
  const id = scanPayload(responseText).messages[0]?.fields.id;
  return id ? responseText.slice(id.start, id.end) : 'null';
}
