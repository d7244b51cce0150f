import { childOf, stringAt, textAt, type Span } from '../json-text.ts';
import { scanPayload, type MessageScan } from '../scan.ts';
import { splice } from '../splice.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
/** No server's name has one. */
const SEPARATOR = '/';

/** A task as clients of all servers know it: two servers may give theirs the same id. A pure function of both, so that a task is found after any restart. */
const shownTask = (upstream: string, taskId: string): string => `${upstream}${SEPARATOR}${taskId}`;

/** Reads what {@link shownTask} gives. */
export function readShownTask(shown: string): { readonly upstream: string; readonly taskId: string } | undefined {
  const at = shown.indexOf(SEPARATOR);
  return at < 1 ? undefined : { upstream: shown.slice(0, at), taskId: shown.slice(at + 1) };
}

/** A message of a server with every task that it names as the client knows it. */
export function withShownTasks(upstream: string, text: string, message: MessageScan): string {
  return text.includes('"taskId"') ? renamed(text, message, (own) => shownTask(upstream, own)) : text;
}

/** What the client says to a server, in the server's own words: its answer to a request that came with a task names that task. */
export function withOwnTasks(text: string): string {
  const [message] = text.includes('"taskId"') ? scanPayload(text).messages : [];
  return message === undefined ? text : renamed(text, message, (shown) => readShownTask(shown)?.taskId);
}

function renamed(text: string, { fields }: MessageScan, rename: (name: string) => string | undefined): string {
  const isTask = fields['result.taskId'] !== undefined && (childOf(text, fields.result, 'status') !== undefined || stringAt(text, fields['result.resultType']) === 'task');
  const places: (Span | undefined)[] = [
    isTask ? fields['result.taskId'] : undefined,
    fields['result.task.taskId'],
    fields['params.taskId'],
    childOf(text, childOf(text, fields['result._meta'], RELATED), 'taskId'),
    childOf(text, childOf(text, fields['params._meta'], RELATED), 'taskId'),
  ];
  const edits = places.flatMap((span) => {
    const name = stringAt(text, span);
    const other = name === undefined ? undefined : rename(name);
    return span === undefined || other === undefined ? [] : [{ start: span.start, end: span.end, text: JSON.stringify(other) }];
  });
  return splice(text, edits);
}

/** The entries of a `tasks/list` result as the client knows them, and the raw cursor of the next page. */
export function readTaskPage(upstream: string, text: string, result: Span | undefined): { readonly tasks: readonly string[]; readonly nextCursor: string | undefined } {
  const list = childOf(text, result, 'tasks');
  const given: unknown = list === undefined ? [] : JSON.parse(textAt(text, list));
  const tasks = (Array.isArray(given) ? given : []).flatMap((task: unknown) =>
    typeof task === 'object' && task !== null && 'taskId' in task && typeof task.taskId === 'string' ? [JSON.stringify({ ...task, taskId: shownTask(upstream, task.taskId) })] : [],
  );
  const cursor = childOf(text, result, 'nextCursor');
  return { tasks, nextCursor: cursor === undefined || stringAt(text, cursor) === undefined ? undefined : textAt(text, cursor) };
}
