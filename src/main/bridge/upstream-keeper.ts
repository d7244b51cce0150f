import { BursarError } from '../../shared/errors/errors.ts';
import { NOWHERE } from './channel.ts';
import type { Exchange } from './exchange.ts';
import { freshId, idKey } from './request-id.ts';
import { scanPayload } from './scan.ts';
import { splice } from './splice.ts';
import type { Outgoing, SessionEvents, Upstream, UpstreamEvents } from './upstream.ts';

const BACK_OFF_MS = 500;
const BACK_OFF_MAX_MS = 30_000;

export interface UpstreamKeeperOptions {
  readonly name: string;
  /** Opens one link. May throw. */
  readonly open: (events: UpstreamEvents) => Upstream;
  readonly events: SessionEvents;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** A link that outlives the processes and sessions behind it. */
export interface KeptUpstream extends Upstream {
  /** Ends the present link as if it were lost, without counting it as a failure of the server. */
  reset(error: BursarError): Promise<void>;
}

/**
 * A link that is opened by the first message and again by the first one after it was lost. A new link first gets the
 * client's own `initialize` and `initialized` once more, because the client does not know that the server is a new one.
 * The same where a server has forgotten the link's session: the message that found out is sent once more, unless it carries a payment.
 * A server that keeps ending is left alone for a while that doubles, up to half a minute; messages are refused until then.
 */
export function keepUpstream({ name, open, events, now = () => performance.now() }: UpstreamKeeperOptions): KeptUpstream {
  let link: Upstream | undefined;
  let failures = 0;
  let notBefore = 0;
  let closed = false;
  let paused = false;
  let initialize: string | undefined;
  let initialized: string | undefined;
  /** Links whose session the server has forgotten; calls that run in them may still be answered. */
  const retired = new Set<Upstream>();
  const sentAgain = new WeakSet<Outgoing>();
  let replay: { readonly key: string; readonly queue: Outgoing[] } | undefined;

  const lost = (error: BursarError): void => {
    link = undefined;
    failures++;
    notBefore = failures < 2 ? 0 : now() + Math.min(BACK_OFF_MS * 2 ** (failures - 2), BACK_OFF_MAX_MS);
    const queue = replay?.queue ?? [];
    replay = undefined;
    // What the lost link had not taken in holds back the client no more.
    events.onPressure(false);
    for (const { exchange } of queue) events.onExchangeEnd(exchange, error);
    events.onDown(error);
  };

  const connect = (): Upstream => {
    const current = open({
      onMessage(text, exchange, head) {
        if (replay !== undefined && answers(text, replay.key)) return endReplay();
        if (replay === undefined) failures = 0;
        events.onMessage(text, exchange, head);
      },
      onAnswerLost: (idText, error) => events.onAnswerLost(idText, error),
      onExchangeEnd: (exchange, error, refusal) => {
        if (exchange === REPLAY) {
          if (replay !== undefined) endReplay();
          return;
        }
        events.onExchangeEnd(exchange, error, refusal);
      },
      onDown: (error) => {
        if (link === current) lost(error);
      },
      onPressure: (full) => events.onPressure(full),
      onStreamPaused: (exchange) => events.onStreamPaused(exchange),
      onSessionGone: (message) => sessionGone(current, message),
    });
    if (paused) current.setPaused(true);
    return current;
  };

  const sessionGone = (from: Upstream, message: Outgoing): boolean => {
    if (closed || initialize === undefined || message.exchange === REPLAY || sentAgain.has(message)) return false;
    const repeats = message.paid !== true;
    if (repeats) sentAgain.add(message);
    if (link === from) {
      retired.add(from);
      link = connect();
      startReplay(initialize, ...(repeats ? [message] : []));
    } else if (repeats) api.send(message);
    return repeats;
  };

  const endReplay = (): void => {
    const queue = replay?.queue ?? [];
    replay = undefined;
    if (initialized !== undefined) link?.send({ text: initialized, exchange: REPLAY, handshake: 'initialized' });
    for (const message of queue) link?.send(message);
  };

  const startReplay = (text: string, ...queue: Outgoing[]): void => {
    const id = JSON.stringify(freshId());
    const span = scanPayload(text).messages[0]?.fields.id;
    if (span === undefined) return queue.forEach((message) => link?.send(message));
    replay = { key: idKey(id, { start: 0, end: id.length }), queue };
    link?.send({ text: splice(text, [{ ...span, text: id }]), exchange: REPLAY, handshake: 'initialize' });
  };

  const refuse = (exchange: Exchange, error: BursarError): void => events.onExchangeEnd(exchange, error);

  const api: KeptUpstream = {
    send(message) {
      if (closed) return refuse(message.exchange, new BursarError('UPSTREAM_EXITED', `The connection to the server "${name}" is closed.`, { context: { upstream: name } }));
      const fresh = link === undefined;
      if (fresh) {
        const wait = Math.ceil(notBefore - now());
        if (wait > 0) {
          return refuse(message.exchange, new BursarError('UPSTREAM_EXITED', `The server "${name}" keeps ending.`, {
            context: { upstream: name, retryInMs: String(wait) },
            hint: `It can be started again in ${Math.ceil(wait / 1000)} s.`,
          }));
        }
        try {
          link = connect();
        } catch (cause) {
          const error = cause instanceof BursarError ? cause : new BursarError('UPSTREAM_UNREACHABLE', `The server "${name}" could not be started.`, { context: { upstream: name }, cause });
          return refuse(message.exchange, error);
        }
      }
      if (message.handshake === 'initialize') initialize = message.text;
      else if (message.handshake === 'initialized') initialized = message.text;
      else if (fresh && initialize !== undefined) return startReplay(initialize, message);
      if (replay !== undefined) replay.queue.push(message);
      else link?.send(message);
    },
    setPaused(value) {
      paused = value;
      link?.setPaused(value);
    },
    async reset(error) {
      const old = link;
      if (old === undefined) return;
      lost(error);
      failures = 0;
      notBefore = 0;
      await old.close();
    },
    async close() {
      closed = true;
      await Promise.all([...(link === undefined ? [] : [link]), ...retired].map((one) => one.close()));
      link = undefined;
    },
  };
  return api;
}

/** The exchange of messages that only the keeper awaits. */
const REPLAY: Exchange = { channel: NOWHERE, unanswered: new Set() };

function answers(text: string, key: string): boolean {
  try {
    return scanPayload(text).messages.some(({ kind, fields }) => kind === 'response' && fields.id !== undefined && idKey(text, fields.id) === key);
  } catch {
    return false;
  }
}
