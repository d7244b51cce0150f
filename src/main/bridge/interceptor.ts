import type { ServerAnswer } from '../../core/challenges/answer.ts';
import { mayHoldPayLink, readLinkRequest, readPayLink } from '../../core/challenges/elicitation.ts';
import type { ToolFacts } from '../../core/challenges/tool-facts.ts';
import { jsonOf } from '../../core/challenges/tool-result.ts';
import { isObject } from '../../core/json/json.ts';
import { mayAskForMoney } from '../../core/challenges/registry.ts';
import type { Outcome, PaidCall } from '../../core/payments/call.ts';
import type { OutputSchemas } from '../../core/payments/output-schemas.ts';
import type { Payments } from '../../core/payments/pay.ts';
import { errorText, type ErrorInfo } from '../../shared/errors/errors.ts';
import { cutMembers } from './cut.ts';
import type { ClientCaller } from './http-gate.ts';
import { OPEN_BRACE, stringAt, textAt, type Span } from './json-text.ts';
import type { CallIo, HookAnswer, PaymentHook, ToolCall } from './payment-hook.ts';
import { idKey } from './request-id.ts';
import { answerTo } from './rpc-answer.ts';
import type { ServerWords } from './server-words.ts';
import { toolCallParts, withId } from './tool-call.ts';
import { listingOf, readToolList, toolEdits } from './tool-list.ts';

/** Longer answers are no payment link. */
const MAX_LINK_CHARACTERS = 65_536;

export interface InterceptorOptions {
  readonly payments: Pick<Payments, 'onAnswer'>;
  readonly facts: ToolFacts;
  readonly words: ServerWords;
  readonly schemas?: Pick<OutputSchemas, 'note'>;
  /** Are agents told in a tool's description what it costs? */
  readonly showsCosts: () => boolean;
  /** Throws where this client may not have calls paid. */
  readonly requireMayPay?: (caller: ClientCaller) => void;
}

/** Where the bridge and the payment core meet: hands challenges over and turns outcomes into answers for the client. */
export function createInterceptor({ payments, facts, words, schemas, showsCosts, requireMayPay }: InterceptorOptions): PaymentHook {
  return {
    noteWords(source, text) {
      words.note(source, text);
      const { upstream, requestText } = source;
      if (requestText !== undefined && mayHoldPayLink(text)) setImmediate(() => noteLink(upstream, toolCallParts(requestText).tool, text));
    },

    noteElicitation(upstream, text) {
      if (text.length > MAX_LINK_CHARACTERS) return;
      setImmediate(() => {
        const link = readLinkRequest(jsonOf(text));
        if (link) facts.noteLink({ ...link, upstream, tool: '' });
      });
    },

    listEdits(upstream, { fields: { result } }, text) {
      if (result === undefined) return [];
      const isShown = showsCosts();
      return readToolList(text, result).flatMap((tool) => {
        facts.noteListing(upstream, tool.name, listingOf(text, tool));
        schemas?.note(upstream, tool.name, tool.members['outputSchema'] && textAt(text, tool.members['outputSchema']));
        const price = isShown ? facts.of(upstream, tool.name)?.price : undefined;
        return toolEdits(text, tool, { cost: price ? `(Cost: ${price.amount} ${price.currency})` : '', hidden: facts.keysOf(upstream, tool.name).arguments });
      });
    },

    callEdits(upstream, { fields }, text) {
      const tool = stringAt(text, fields.method) === 'tools/call' ? stringAt(text, fields['params.name']) : undefined;
      if (tool === undefined) return [];
      const keys = facts.keysOf(upstream, tool);
      return [...cutFrom(text, fields['params.arguments'], keys.arguments), ...cutFrom(text, fields['params._meta'], keys.meta)];
    },

    // An answer that is not read here passes in order and at once, so what cannot ask for money must not get further than this.
    looksPaid: ({ fields, span }, text) => {
      const { error, 'result.error': inner, 'result.isError': isError, 'result._meta': meta } = fields;
      if (inner !== undefined) return true;
      if (error !== undefined || (isError !== undefined && text.startsWith('true', isError.start))) return mayAskForMoney(textAt(text, span));
      return meta !== undefined && mayAskForMoney(textAt(text, meta));
    },

    async onAnswer(call, answerText, io) {
      const outcome = await payments.onAnswer(paidCall(call, { text: answerText }, io));
      if (outcome.kind === 'pass') {
        words.note(call, answerText);
        noteLink(call.upstream, call.tool, answerText);
      }
      return answerOf(call, outcome);
    },

    async onHttpPaymentRequired(call, refusal, io) {
      const text = answerTo(refusal.body, idKey(call.idText, { start: 0, end: call.idText.length })) ?? '';
      return answerOf(call, await payments.onAnswer(paidCall(call, { text, http: refusal }, io)));
    },
  };

  function paidCall(call: ToolCall, answer: ServerAnswer, io: CallIo): PaidCall {
    const known = facts.of(call.upstream, call.tool);
    const lastDialect = known?.dialects.at(-1);
    return {
      client: call.client,
      session: call.sessionId,
      seenIn: words.seenIn(call.client),
      upstream: call.upstream,
      tool: call.tool,
      argumentsText: call.argumentsText,
      answer,
      ...(known?.listing && { listing: known.listing }),
      ...(lastDialect !== undefined && { lastDialect }),
      ...(requireMayPay && { requireMayPay: () => requireMayPay(call) }),
      startedAt: call.startedAt,
      signal: call.signal,
      retry: (edit, signal) => io.retry(edit, { signal }),
      progress: (message) => io.progress(message),
    };
  }

  /** The client has the answer as it came; the owner is shown that there was a page to pay at. */
  function noteLink(upstream: string, tool: string, text: string): void {
    if (text.length > MAX_LINK_CHARACTERS) return;
    const rpc = jsonOf(text);
    const link = isObject(rpc) ? readPayLink({ rpc }) : undefined;
    if (link) facts.noteLink({ ...link, upstream, tool });
  }

  function answerOf(call: ToolCall, outcome: Outcome): HookAnswer | undefined {
    switch (outcome.kind) {
      case 'pass':
        return undefined;
      case 'answer':
        words.note(call, outcome.responseText);
        return { text: withId(outcome.responseText, call.idText), delivered: outcome.delivered, paid: true };
      case 'pending':
        return pendingAnswer(call, outcome);
      case 'refusal':
        return refusalAnswer(call, outcome.error, outcome.paymentId);
    }
  }
}

/** The edits that take members out of an object; none where the value is no object. */
const cutFrom = (text: string, object: Span | undefined, names: readonly string[]) =>
  object !== undefined && names.length > 0 && text.charCodeAt(object.start) === OPEN_BRACE ? cutMembers(text, object, new Set(names)) : [];

/** A tool result that the agent can read: clients hide `structuredContent` where `isError` is set, so all of it stands in the text. */
function refusalAnswer(call: ToolCall, error: ErrorInfo, paymentId: string): HookAnswer {
  const payment = { code: error.code, message: error.message, hint: error.hint, ...(paymentId && { paymentId }) };
  const result = { content: [{ type: 'text', text: errorText(error) }], isError: true, _meta: { 'bursar/payment': payment } };
  return { text: `{"jsonrpc":"2.0","id":${call.idText},"result":${JSON.stringify(result)}}`, delivered: () => {} };
}

/**
 * The owner has not decided, and the client would give up soon. An error result without `structuredContent`, because anything else would
 * have to fit the tool's `outputSchema`, or SDK clients throw it away; the text is all that an agent needs.
 */
function pendingAnswer(call: ToolCall, { paymentId, expiresAt }: Extract<Outcome, { kind: 'pending' }>): HookAnswer {
  const { upstream, tool } = call;
  const until = new Date(expiresAt).toISOString();
  const text =
    `payment_pending: server "${upstream}" asks for money for tool "${tool}", and the owner has not decided yet. Nothing was paid. ` +
    `To continue, call the same tool again with the same arguments: it waits on, and is paid at most once. The request ${paymentId} is open until ${until}. (PAYMENT_PENDING)`;
  const result = { content: [{ type: 'text', text }], isError: true, _meta: { 'bursar/payment': { status: 'payment_pending', paymentId, expiresAt: until } } };
  return { text: `{"jsonrpc":"2.0","id":${call.idText},"result":${JSON.stringify(result)}}`, delivered: () => {} };
}
