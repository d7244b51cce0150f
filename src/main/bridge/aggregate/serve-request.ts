import { OWN_NAME } from '../../../shared/text/own-name.ts';
import type { SeenIn } from '../../../core/policy/provenance.ts';
import type { Scope } from '../../../shared/access/scopes.ts';
import { childOf, stringAt, textAt, type Span } from '../json-text.ts';
import { createOwnProgress } from '../own-progress.ts';
import type { MessageScan } from '../scan.ts';
import { splice } from '../splice.ts';
import type { Catalogue } from './catalogue.ts';
import type { ClientRequest } from './client-requests.ts';
import type { Forward, Shown } from './forward.ts';
import { greet } from './greeting.ts';
import { LISTS, type ListKind } from './lists.ts';
import type { Member } from './member.ts';
import { discovery, REMOVED } from './modern.ts';
import type { OwnTool, OwnToolsView } from './own-tools.ts';
import type { Route, Routes } from './routes.ts';
import type { Subscriptions } from './subscriptions.ts';
import { readShownTask, readTaskPage } from './task-names.ts';

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;
/** What no client that began with `initialize` can ask. */
const ADDED = new Set(['server/discover', 'subscriptions/listen', 'tasks/update']);
const MOST_TASK_PAGES = 100;

/** What an aggregate session has at hand for a request of its client. */
export interface ServeDeps {
  readonly client: string;
  readonly scopes?: readonly Scope[];
  /** The id of its connection. */
  readonly session: string;
  readonly version: string;
  readonly tools: OwnToolsView;
  /** Where an address was first seen in what servers told this client's agent. */
  readonly seenIn: SeenIn;
  readonly catalogue: Catalogue;
  readonly routes: Routes;
  /** The enabled servers. */
  readonly names: () => readonly string[];
  readonly subscriptions: Subscriptions;
  /** Servers whose handshake is done. */
  readonly live: () => readonly Member[];
  /** Remembers the raw JSON of the `initialize` params for servers. */
  readonly setGreeting: (paramsText: string) => void;
  /** Remembers the raw JSON of the `logging/setLevel` params for servers. */
  readonly setLevel: (paramsText: string) => void;
  readonly answer: (request: ClientRequest, text: string, options?: { readonly done?: (written: boolean) => void }) => void;
  readonly forward: Forward;
}

/** Answers the requests of the client, or sends them on to the server that they are for. */
export function createServe({ client, scopes, session, version, tools, seenIn, catalogue, routes, names, subscriptions, live, setGreeting, setLevel, answer, forward }: ServeDeps): (request: ClientRequest, method: string, text: string, message: MessageScan) => Promise<void> {
  return async (request, method, text, message) => {
    const { fields } = message;
    const list = LIST_OF_METHOD.get(method);
    if (list !== undefined) return serveList(request, list);
    const unknown = () => answer(request, responseOf(request, 'error', JSON.stringify({ code: METHOD_NOT_FOUND, message: 'Method not found' })));
    if (request.modern ? REMOVED.has(method) : ADDED.has(method)) return unknown();
    switch (method) {
      case 'server/discover':
        return answer(request, responseOf(request, 'result', discovery(version)));
      case 'subscriptions/listen':
        return subscriptions.open(request, text, message);
      case 'tasks/get':
      case 'tasks/result':
      case 'tasks/update':
      case 'tasks/cancel': {
        const shown = stringAt(text, fields['params.taskId']) ?? '';
        const task = readShownTask(shown);
        const route = task !== undefined && names().includes(task.upstream) ? { upstream: task.upstream, own: task.taskId } : undefined;
        return pass(request, text, route, fields['params.taskId'], () => invalid(request, `There is no task "${shown}".`));
      }
      case 'tasks/list':
        return answer(request, responseOf(request, 'result', `{"tasks":[${(await tasksOf(live())).join(',')}]}`));
      case 'initialize': {
        const { resultText, paramsText } = greet(text, message, version);
        setGreeting(paramsText);
        return answer(request, responseOf(request, 'result', resultText));
      }
      case 'ping':
        return answer(request, responseOf(request, 'result', '{}'));
      case 'tools/call':
        return call(request, text, message);
      case 'prompts/get': {
        const name = stringAt(text, fields['params.name']) ?? '';
        return pass(request, text, await routes.named('prompts', name), fields['params.name'], () => invalid(request, `There is no prompt "${name}".`));
      }
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe': {
        const uri = stringAt(text, fields['params.uri']) ?? '';
        const missing = () => responseOf(request, 'error', JSON.stringify({ code: request.modern ? INVALID_PARAMS : RESOURCE_NOT_FOUND, message: 'No server has this resource.', data: { uri } }));
        return pass(request, text, await routes.addressed(uri), fields['params.uri'], missing);
      }
      case 'completion/complete': {
        const ref = childOf(text, fields.params, 'ref');
        const at = childOf(text, ref, 'name') ?? childOf(text, ref, 'uri');
        const asked = stringAt(text, at) ?? '';
        const isPrompt = stringAt(text, childOf(text, ref, 'type')) === 'ref/prompt';
        return pass(request, text, await (isPrompt ? routes.named('prompts', asked) : routes.addressed(asked)), at, () => invalid(request, 'No server has what this reference names.'));
      }
      case 'logging/setLevel': {
        const level = fields.params === undefined ? '{}' : textAt(text, fields.params);
        setLevel(level);
        for (const member of live()) if (member.has('logging')) member.request(method, level).catch(() => undefined);
        return answer(request, responseOf(request, 'result', '{}'));
      }
      default:
        return unknown();
    }
  };

  async function serveList(request: ClientRequest, kind: ListKind): Promise<void> {
    const gathered = await catalogue.gather(kind);
    const own = kind === 'tools' ? tools.listed() : [];
    const entries = [...own, ...routes.merge(kind, gathered).map((item) => item.text)].join(',');
    const note = gathered.missing.length === 0 ? '' : `,"_meta":${JSON.stringify({ 'bursar/unavailable': gathered.missing })}`;
    answer(request, responseOf(request, 'result', `{"${LISTS[kind].member}":[${entries}]${note}}`));
  }

  async function call(request: ClientRequest, text: string, { fields }: MessageScan): Promise<void> {
    const tool = stringAt(text, fields['params.name']) ?? '';
    const own = tools.find(tool);
    if (own !== undefined) return runOwn(own, request, text, fields);
    const route = await routes.named('tools', tool);
    return pass(request, text, route, fields['params.name'], () => invalid(request, `There is no tool "${tool}".`), (given) => {
      if (route !== undefined) routes.mentioned(route.upstream, given);
      return given;
    });
  }

  async function runOwn(tool: OwnTool, request: ClientRequest, text: string, fields: MessageScan['fields']): Promise<void> {
    const args = fields['params.arguments'];
    return runOwnWith(tool, request, { argumentsText: args === undefined ? '{}' : textAt(text, args), text, fields });
  }

  async function runOwnWith(tool: OwnTool, request: ClientRequest, { argumentsText, text, fields, wrap }: { argumentsText: string; text: string; fields: MessageScan['fields']; wrap?: (resultText: string) => string }): Promise<void> {
    const token = fields['params._meta.progressToken'];
    const progressText = token === undefined ? undefined : createOwnProgress(textAt(text, token));
    const { exchange: { channel }, abort: { signal } } = request;
    const answered = await tool.run({
      client,
      ...(scopes && { scopes }),
      session,
      seenIn,
      argumentsText,
      startedAt: Date.now(),
      signal,
      progress(message) {
        if (progressText !== undefined && !signal.aborted && channel.open && channel.streams) channel.write(progressText(message));
      },
    });
    if (answered.kind === 'result') {
      const { resultText, delivered } = answered;
      return answer(request, responseOf(request, 'result', wrap ? wrap(resultText) : resultText), delivered && { done: delivered });
    }
    if (answered.upstream === OWN_NAME) {
      const own = tools.find(answered.tool);
      if (own === undefined || wrap) return answer(request, invalid(request, `There is no tool "${answered.tool}".`));
      return runOwnWith(own, request, { argumentsText: answered.argumentsText, text, fields, wrap: answered.wrap });
    }
    const meta = token === undefined ? '' : `,"_meta":{"progressToken":${textAt(text, token)}}`;
    const again = `{"jsonrpc":"2.0","id":${request.idText},"method":"tools/call","params":{"name":${JSON.stringify(answered.tool)},"arguments":${answered.argumentsText}${meta}}}`;
    return forward(request, again, answered.upstream, (given, { fields: { result } }) => (result === undefined ? given : splice(given, [{ ...result, text: answered.wrap(textAt(given, result)) }])));
  }

  /** Sends the request on with what its server calls the thing at `at`. */
  async function pass(request: ClientRequest, text: string, route: Route | undefined, at: Span | undefined, missing: () => string, shown?: Shown): Promise<void> {
    if (route === undefined || at === undefined) return answer(request, missing());
    return forward(request, splice(text, [{ ...at, text: JSON.stringify(route.own) }]), route.upstream, shown);
  }
}

/** Tasks of the servers that run: one that does not has none that it could give. */
async function tasksOf(members: readonly Member[]): Promise<readonly string[]> {
  const lists = await Promise.all(members.filter((member) => member.has('tasks')).map(async (member) => {
    const tasks: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_TASK_PAGES; page++) {
      const answered = await member.request('tasks/list', cursor === undefined ? '{}' : `{"cursor":${cursor}}`).catch(() => undefined);
      const read = answered && readTaskPage(member.upstream, answered.text, answered.message.fields.result);
      tasks.push(...(read?.tasks ?? []));
      if (read?.nextCursor === undefined || read.nextCursor === cursor) break;
      cursor = read.nextCursor;
    }
    return tasks;
  }));
  return lists.flat();
}

const LIST_OF_METHOD = new Map<string, ListKind>((Object.keys(LISTS) as ListKind[]).map((kind) => [LISTS[kind].method, kind]));

/** A response to the request; `text` is raw JSON. */
export const responseOf = ({ idText }: ClientRequest, member: 'result' | 'error', text: string): string => `{"jsonrpc":"2.0","id":${idText},"${member}":${text}}`;

const invalid = (request: ClientRequest, message: string): string => responseOf(request, 'error', JSON.stringify({ code: INVALID_PARAMS, message }));
