import { freshId } from './request-id.ts';
import { OPEN_BRACE, stringAt, textAt, type Span } from './json-text.ts';
import type { RetryEdit } from '../../core/challenges/answer.ts';
import { scanPayload, type MessageScan } from './scan.ts';
import { objectOf, setMembers, splice, type Edit } from './splice.ts';

/** What the payment side is told of a request. */
export interface ToolCallParts {
  readonly tool: string;
  readonly argumentsText: string;
  readonly progressToken?: string;
}

/** Reads a `tools/call` request. A name that is no string is given as empty; the server has refused it anyway. */
export function toolCallParts(requestText: string): ToolCallParts {
  const { fields } = onlyMessage(requestText);
  const args = fields['params.arguments'];
  const token = fields['params._meta.progressToken'];
  return {
    tool: stringAt(requestText, fields['params.name']) ?? '',
    argumentsText: args === undefined ? '{}' : textAt(requestText, args),
    ...(token === undefined ? {} : { progressToken: textAt(requestText, token) }),
  };
}

/** A retry as it goes to the server. */
export interface RetryText {
  readonly text: string;
  /** Raw JSON of the fresh id. */
  readonly idText: string;
}

/** The same request under a fresh id with the edit's members set, and not a byte else changed. */
export function retryText(requestText: string, { meta, arguments: args }: RetryEdit): RetryText {
  const { fields } = onlyMessage(requestText);
  const { id, params } = fields;
  if (id === undefined || params === undefined || !isObject(requestText, params)) throw new TypeError('not a tools/call request');
  const idText = JSON.stringify(freshId());
  const edits: Edit[] = [{ ...id, text: idText }];
  const missing: Record<string, string> = {};
  for (const [name, span, members] of [['_meta', fields['params._meta'], meta], ['arguments', fields['params.arguments'], args]] as const) {
    if (members === undefined || Object.keys(members).length === 0) continue;
    if (span !== undefined && isObject(requestText, span)) edits.push(...setMembers(requestText, span, members));
    else missing[name] = objectOf(members);
  }
  edits.push(...setMembers(requestText, params, missing));
  return { text: splice(requestText, edits), idText };
}

/** The same response under another id. */
export function withId(responseText: string, idText: string): string {
  const { id } = onlyMessage(responseText).fields;
  return id === undefined ? responseText : splice(responseText, [{ ...id, text: idText }]);
}

const isObject = (text: string, span: Span): boolean => text.charCodeAt(span.start) === OPEN_BRACE;

function onlyMessage(text: string): MessageScan {
  const [message] = scanPayload(text).messages;
  if (message === undefined) throw new TypeError('no message');
  return message;
}
