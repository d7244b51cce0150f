import { childOf, textAt } from '../json-text.ts';
import type { MessageScan } from '../scan.ts';
import { setMembers, splice } from '../splice.ts';
import type { ClientRequest } from './client-requests.ts';
import { LISTS, type ListKind } from './lists.ts';
import type { Member } from './member.ts';
import { readShownTask } from './task-names.ts';

/** What a `subscriptions/listen` asks to be told of (MCP 2026-07-28, Subscriptions; the Tasks extension). */
interface Wanted {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

const LIST_FLAGS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

export interface SubscriptionsDeps {
  /** The server of a resource, started if need be. */
  readonly owner: (uri: string) => Promise<{ readonly member: Member; readonly own: string } | undefined>;
  /** The server of that name, started if need be. */
  readonly member: (upstream: string) => Promise<Member | undefined>;
  /** Takes what a server says to a subscription that was opened on behalf of the client. */
  readonly onMessage: (member: Member, text: string, message: MessageScan) => void;
}

/** The streams in which a client of 2026-07-28 hears of changes, at whatever servers they happen. */
export interface Subscriptions {
  /** Acknowledges a `subscriptions/listen` and keeps it open until the client ends it. */
  open(request: ClientRequest, text: string, message: MessageScan): void;
  listChanged(kind: ListKind): void;
  /** A resource, by the address that the client knows. */
  resourceUpdated(shownUri: string): void;
  /** A message about a task, by the name that the client knows; `text` is its raw params. */
  taskChanged(shownTaskId: string, method: string, paramsText: string): void;
}

export function createSubscriptions({ owner, member, onMessage }: SubscriptionsDeps): Subscriptions {
  const open = new Map<ClientRequest, Wanted>();

  /** With the id by which the client knows which of its subscriptions it is. */
  const tell = ({ idText, exchange }: ClientRequest, method: string, paramsText = '{}'): void => {
    const marked = splice(paramsText, setMembers(paramsText, { start: 0, end: paramsText.length }, { _meta: `{"io.modelcontextprotocol/subscriptionId":${idText}}` }));
    exchange.channel.write(`{"jsonrpc":"2.0","method":"${method}","params":${marked}}`);
  };
  const tellAll = (wants: (wanted: Wanted) => boolean, method: string, paramsText?: string): void => {
    for (const [request, wanted] of open) if (wants(wanted)) tell(request, method, paramsText);
  };

  /** Has servers tell of what they only tell who asks for it. */
  const follow = async (request: ClientRequest, { resourceSubscriptions = [], taskIds = [] }: Wanted): Promise<void> => {
    const filters = new Map<Member, { resourceSubscriptions: string[]; taskIds: string[] }>();
    const filterOf = (one: Member) => {
      const filter = filters.get(one) ?? { resourceSubscriptions: [], taskIds: [] };
      filters.set(one, filter);
      return filter;
    };
    const found = await Promise.all(resourceSubscriptions.map((uri) => owner(uri).catch(() => undefined)));
    for (const route of found) if (route !== undefined) filterOf(route.member).resourceSubscriptions.push(route.own);
    for (const task of taskIds.map(readShownTask)) {
      const at = task && (await member(task.upstream).catch(() => undefined));
      if (task !== undefined && at !== undefined) filterOf(at).taskIds.push(task.taskId);
    }
    for (const [at, filter] of filters) {
      if (request.abort.signal.aborted) return;
      const stop = at.follow(filter, (text, message) => onMessage(at, text, message));
      request.abort.signal.addEventListener('abort', stop, { once: true });
    }
  };

  return {
    open(request, text, { fields }) {
      const wanted = readWanted(text, fields);
      open.set(request, wanted);
      request.abort.signal.addEventListener('abort', () => open.delete(request), { once: true });
      tell(request, 'notifications/subscriptions/acknowledged', `{"notifications":${JSON.stringify(wanted)}}`);
      void follow(request, wanted);
    },
    listChanged(kind) {
      const { capability } = LISTS[kind];
      tellAll((wanted) => wanted[`${capability}ListChanged`] === true, `notifications/${capability}/list_changed`);
    },
    resourceUpdated: (uri) => tellAll(({ resourceSubscriptions = [] }) => resourceSubscriptions.includes(uri), 'notifications/resources/updated', JSON.stringify({ uri })),
    taskChanged: (taskId, method, paramsText) => tellAll(({ taskIds = [] }) => taskIds.includes(taskId), method, paramsText),
  };
}

function readWanted(text: string, fields: MessageScan['fields']): Wanted {
  const span = childOf(text, fields.params, 'notifications');
  const given = (span === undefined ? {} : (JSON.parse(textAt(text, span)) as Record<string, unknown> | null)) ?? {};
  const strings = (name: string): Record<string, string[]> => {
    const value = given[name];
    return Array.isArray(value) ? { [name]: value.filter((each): each is string => typeof each === 'string') } : {};
  };
  return { ...Object.fromEntries(LIST_FLAGS.filter((flag) => given[flag] === true).map((flag) => [flag, true])), ...strings('resourceSubscriptions'), ...strings('taskIds') };
}
