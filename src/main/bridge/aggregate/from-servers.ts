import { childOf, stringAt, textAt } from '../json-text.ts';
import { idKey } from '../request-id.ts';
import { scanPayload, type MessageScan } from '../scan.ts';
import { splice } from '../splice.ts';
import type { Catalogue } from './catalogue.ts';
import type { ClientRequest } from './client-requests.ts';
import { LIST_KINDS, LISTS } from './lists.ts';
import type { Member } from './member.ts';
import { inTheNameOf } from './modern.ts';
import type { ProgressTokens } from './progress-tokens.ts';
import type { Routes } from './routes.ts';
import type { ServerRequests } from './server-requests.ts';
import type { Subscriptions } from './subscriptions.ts';
import { withShownTasks } from './task-names.ts';

export interface FromServersDeps {
  readonly catalogue: Catalogue;
  readonly routes: Routes;
  readonly asked: ServerRequests<Member>;
  readonly progress: ProgressTokens;
  readonly subscriptions: Subscriptions;
}

/** What servers say that answers nothing, as the client gets it; undefined where it is of no use to the client, or was told in another way. */
export interface FromServers {
  /** To a client that began with `initialize`. */
  toOlder(member: Member, text: string, message: MessageScan): string | undefined;
  /** To a client of 2026-07-28, which can be asked nothing and hears of changes in its subscriptions alone. `within`: it came with this request's answer. */
  toModern(member: Member, text: string, message: MessageScan, within?: ClientRequest): string | undefined;
}

export function createFromServers({ catalogue, routes, asked, progress, subscriptions }: FromServersDeps): FromServers {
  const noteChanges = (member: Member, method: string | undefined): boolean => {
    const changed = LIST_KINDS.filter((list) => method === `notifications/${LISTS[list].capability}/list_changed`);
    for (const list of changed) catalogue.changed(member.upstream, list);
    return changed.length > 0;
  };

  /** Progress of a request that is not at this server: another one's, which no server may speak of. */
  const isStrayProgress = ({ upstream }: Member, method: string | undefined, text: string, { fields }: MessageScan): boolean => {
    const token = fields['params.progressToken'];
    return method === 'notifications/progress' && (token === undefined || !progress.isAt(idKey(text, token), upstream));
  };

  return {
    toOlder(member, text, message) {
      const { upstream } = member;
      const { kind, fields } = message;
      const method = stringAt(text, fields.method);
      if (kind === 'request') {
        const request = asked.add(member, text, message);
        return method === 'elicitation/create' || request.includes('"taskId"') ? signed(upstream, method, request) : request;
      }
      // Late answers could meet a request of the same id at another server.
      if (kind !== 'notification' || isStrayProgress(member, method, text, message)) return undefined;
      noteChanges(member, method);
      if (method === 'notifications/cancelled') return asked.cancelled(member, text, message);
      const uri = fields['params.uri'];
      const own = method === 'notifications/resources/updated' ? stringAt(text, uri) : undefined;
      if (own !== undefined && uri !== undefined) return splice(text, [{ ...uri, text: JSON.stringify(routes.shownUri(upstream, own)) }]);
      return withShownTasks(upstream, text, message);
    },

    toModern(member, text, message, within) {
      const { upstream } = member;
      const { kind, fields } = message;
      const method = stringAt(text, fields.method) ?? '';
      if (kind === 'request') {
        const id = fields.id === undefined ? 'null' : textAt(text, fields.id);
        member.tell(`{"jsonrpc":"2.0","id":${id},${method === 'ping' ? '"result":{}' : '"error":{"code":-32601,"message":"The client cannot be asked in this version of the protocol."}'}}`);
        return undefined;
      }
      if (kind !== 'notification' || method === 'notifications/subscriptions/acknowledged' || method === 'notifications/cancelled' || isStrayProgress(member, method, text, message)) return undefined;
      if (noteChanges(member, method)) {
        for (const list of LIST_KINDS) if (list !== 'templates' && method === `notifications/${LISTS[list].capability}/list_changed`) subscriptions.listChanged(list);
        return undefined;
      }
      const uri = stringAt(text, fields['params.uri']);
      if (method === 'notifications/resources/updated') {
        if (uri !== undefined) subscriptions.resourceUpdated(routes.shownUri(upstream, uri));
        return undefined;
      }
      const shown = withShownTasks(upstream, text, message);
      if (method.startsWith('notifications/tasks')) {
        const [task] = scanPayload(shown).messages;
        if (task?.fields.params !== undefined) subscriptions.taskChanged(stringAt(shown, task.fields['params.taskId']) ?? '', method, textAt(shown, task.fields.params));
        return undefined;
      }
      if (within === undefined || (method === 'notifications/message' && !within.wantsLog)) return undefined;
      return shown;
    },
  };
}

/** A server's request with its name in what a person is to read, and its tasks as the client knows them. */
function signed(upstream: string, method: string | undefined, given: string): string {
  const [first] = scanPayload(given).messages;
  const text = first === undefined ? given : withShownTasks(upstream, given, first);
  const at = method === 'elicitation/create' ? childOf(text, scanPayload(text).messages[0]?.fields.params, 'message') : undefined;
  const words = stringAt(text, at);
  return at === undefined || words === undefined ? text : splice(text, [{ ...at, text: JSON.stringify(inTheNameOf(upstream, words)) }]);
}
