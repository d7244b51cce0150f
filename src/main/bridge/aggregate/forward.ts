import { ExchangeChannel, type ClientChannel } from '../channel.ts';
import { idKey } from '../request-id.ts';
import type { MessageScan } from '../scan.ts';
import type { ClientRequest, ClientRequests } from './client-requests.ts';
import type { Member } from './member.ts';
import type { Members } from './members.ts';
import { messagesOf, type FromServer } from './messages.ts';
import { asOlder, signedInputs } from './modern.ts';
import type { ProgressTokens } from './progress-tokens.ts';
import { withShownTasks } from './task-names.ts';

/** What stands in the place of an answer of a server, as it is written to the client. */
export type Shown = (text: string, message: MessageScan) => string;

/** Sends a request of the client to a server, which is started for it. Rejects where that cannot be. */
export type Forward = (request: ClientRequest, text: string, upstream: string, shown?: Shown) => Promise<void>;

export interface ForwardDeps {
  readonly members: Members;
  readonly requests: ClientRequests;
  readonly progress: ProgressTokens;
  readonly answer: (request: ClientRequest, text: string, options: { readonly done?: (written: boolean) => void }) => void;
  /** Takes what a server says besides the answer. */
  readonly onMessage: (member: Member, from: FromServer, channel: ClientChannel, done: ((written: boolean) => void) | undefined, within: ClientRequest) => void;
}

export function createForward({ members, requests, progress, answer, onMessage }: ForwardDeps): Forward {
  return async (request, text, upstream, shown = (given) => given) => {
    const isOver = (): boolean => request.abort.signal.aborted;
    if (isOver()) return void requests.close(request);
    const member = members.of(upstream);
    if (!member.live) await member.ready();
    if (isOver()) return void requests.close(request);
    const sent = request.modern && member.era === 'older' ? asOlder(text) : text;
    if (request.progressKey !== undefined) progress.sent(request.progressKey, upstream);
    const exchange = member.forward(sent, channelTo(request, member, named(request, upstream, shown)));
    if (exchange !== undefined) request.inner = { member, exchange };
  };

  /** Takes what belongs to a request at its server, and hands it to the client. */
  function channelTo(request: ClientRequest, member: Member, shown: Shown): ClientChannel {
    const { channel } = request.exchange;
    return new ExchangeChannel({
      isOpen: () => channel.open,
      streams: channel.streams,
      write: (text, { done } = {}) => {
        const messages = messagesOf(text);
        for (const [index, from] of messages.entries()) {
          const report = index === messages.length - 1 ? done : undefined;
          const { id } = from.message.fields;
          const isAnswer = from.message.kind === 'response' && id !== undefined && idKey(from.text, id) === request.key;
          // The server's HTTP status is not Bursar's: a 401 or 404 of one server says nothing of this address.
          if (isAnswer) answer(request, shown(from.text, from.message), report === undefined ? {} : { done: report });
          else onMessage(member, from, channel, report, request);
        }
      },
      end: () => {
        if (requests.close(request)) channel.end();
      },
      pause: () => channel.pause?.(),
    });
  }
}

/** An answer with the server's tasks and its name as the client knows them, before anything else is made of it. */
function named({ modern }: ClientRequest, upstream: string, shown: Shown): Shown {
  return (given, message) => {
    const renamed = withShownTasks(upstream, given, message);
    const signed = modern ? signedInputs(upstream, renamed) : renamed;
    return signed === given ? shown(given, message) : shown(signed, messagesOf(signed)[0]?.message ?? message);
  };
}
