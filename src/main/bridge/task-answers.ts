import { cutMembers } from './cut.ts';
import { childOf, stringAt, textAt, type Span } from './json-text.ts';
import { freshId } from './request-id.ts';
import { scanPayload, type MessageScan } from './scan.ts';
import { setMembers, splice, type Edit } from './splice.ts';
import type { TaskForm, TaskRequest } from './task-calls.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const FORMS: Readonly<Record<string, TaskForm>> = { 'tasks/result': 'result', 'tasks/get': 'get' };

/** How a request asks about a task; undefined for one that is about none. */
export const taskFormOf = (method: string | undefined): TaskForm | undefined => (method?.startsWith('tasks/') === true ? (FORMS[method] ?? 'other') : undefined);

/** The id of the task that a server made of a `tools/call` (MCP 2025-11-25, Tasks; the Tasks extension of 2026-07-28), in the answer to it. */
export function begunTask(text: string, { kind, fields }: MessageScan): string | undefined {
  if (kind !== 'response') return undefined;
  return stringAt(text, fields['result.task.taskId']) ?? (stringAt(text, fields['result.resultType']) === 'task' ? stringAt(text, fields['result.taskId']) : undefined);
}

/** The same for the text of one response. */
export const begunTaskIn = (text: string): string | undefined => {
  const [message] = scanPayload(text).messages;
  return message && begunTask(text, message);
};

/**
 * The response to the call that a task stands for, found in the answer to a request about that task; undefined while there is none. `tasks/result`
 * gives it as its own, `tasks/get` of 2026-07-28 as `result` or `error` in the state of a task that has come to its end.
 */
export function callResponseIn(form: TaskForm, text: string, { fields, span }: MessageScan): string | undefined {
  if (form === 'result') return textAt(text, span);
  if (form !== 'get' || fields.id === undefined) return undefined;
  for (const [name, inner] of [['result', fields['result.result']], ['error', fields['result.error']]] as const) {
    if (inner !== undefined) return `{"jsonrpc":"2.0","id":${textAt(text, fields.id)},"${name}":${textAt(text, inner)}}`;
  }
  return undefined;
}

/** A response to the call, put in the place of the one that the answer to a request about its task holds. */
export function withCallResponse({ form, taskId }: TaskRequest, answer: string, response: string): string {
  if (form === 'result') return withTaskId(response, undefined, taskId);
  const [outer] = scanPayload(answer).messages;
  const [inner] = scanPayload(response).messages;
  const state = outer?.fields.result;
  const { result, error } = inner?.fields ?? {};
  if (state === undefined || (result === undefined && error === undefined)) return response;
  const emptied = splice(answer, cutMembers(answer, state, new Set(['result', 'error'])));
  const shorter = { start: state.start, end: state.end - (answer.length - emptied.length) };
  const members = result === undefined ? { status: '"failed"', error: textAt(response, error ?? shorter) } : { status: '"completed"', result: textAt(response, result) };
  return splice(emptied, setMembers(emptied, shorter, members));
}

/** A response that names a task, with another in the place of that one; `from` undefined replaces whatever related task is named. */
export function withTaskId(text: string, from: string | undefined, to: string): string {
  const [message] = scanPayload(text).messages;
  const related = childOf(text, childOf(text, message?.fields['result._meta'], RELATED), 'taskId');
  const places = [message?.fields['result.taskId'], related].filter((span): span is Span => span !== undefined && (from === undefined ? span === related : stringAt(text, span) === from));
  return splice(text, places.map((span) => ({ ...span, text: JSON.stringify(to) })));
}

/** The edit that makes a request ask about another task. */
export const taskEdit = ({ fields }: MessageScan, to: string): Edit[] => {
  const at = fields['params.taskId'];
  return at === undefined ? [] : [{ ...at, text: JSON.stringify(to) }];
};

/** The client's own request about a task, about another task. Under a fresh id where Bursar is to have the answer. */
export function askAbout(requestText: string, taskId: string, { fresh }: { readonly fresh: boolean }): { readonly text: string; readonly idText: string } {
  const [message] = scanPayload(requestText).messages;
  const id = message?.fields.id;
  if (message === undefined || id === undefined) throw new TypeError('not a request');
  const idText = fresh ? JSON.stringify(freshId()) : textAt(requestText, id);
  return { text: splice(requestText, [{ ...id, text: idText }, ...taskEdit(message, taskId)]), idText };
}

/** How a task stands, by the answer to a `tasks/get`. */
export interface TaskState {
  readonly status: string | undefined;
  readonly pollMs: number | undefined;
}

export function taskStateIn(text: string): TaskState {
  const state = scanPayload(text).messages[0]?.fields.result;
  const poll = childOf(text, state, 'pollIntervalMs');
  const pollMs = poll === undefined ? NaN : Number(textAt(text, poll));
  return { status: stringAt(text, childOf(text, state, 'status')), pollMs: Number.isFinite(pollMs) ? pollMs : undefined };
}
