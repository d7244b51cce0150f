import { BursarError } from '../../shared/errors/errors.ts';
import { createBackOff } from './back-off.ts';
import { NOWHERE } from './channel.ts';
import type { Exchange } from './exchange.ts';
import { answerKind, createOlderSession } from './older-session.ts';
import { idKey } from './request-id.ts';
import type { Outgoing, SessionEvents, Upstream, UpstreamEvents } from './upstream.ts';

export interface UpstreamKeeperOptions {
  readonly name: string;
  /** Opens one link. May throw. */
  readonly open: (events: UpstreamEvents) => Upstream;
  readonly events: SessionEvents;
  /** Is a server that ended started again before somebody asks something of it? */
  readonly restarts?: () => boolean;
  /** It will be, after so long. */
  readonly onRestart?: (inMs: number) => void;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** A link that outlives the processes and sessions behind it. */
export interface KeptUpstream extends Omit<Upstream, 'retire'> {
  /** Ends the present link as if it were lost, without counting it as a failure of the server. */
  reset(error: BursarError): Promise<void>;
}

/**
 * A link that is opened by the first message, and again by the first one after it was lost, or before that by itself. A new link first gets the
 * client's own `initialize` and `initialized` once more, because the client does not know that the server is a new one; then the client is told to read again
 * what its server lists. The same where a server has forgotten the link's session: the message that found out is sent once more, unless it carries a payment.
 * A server that keeps ending is left alone for a while that doubles, up to half a minute; messages are refused until then. After some tries it is
 * started by the next message alone.
 */
export function keepUpstream({ name, open, events, restarts = () => false, onRestart, now = () => performance.now() }: UpstreamKeeperOptions): KeptUpstream {
  const backOff = createBackOff(now);
  const session = createOlderSession();
  /** Links that come to their end: their session is of no use, but calls that run in them may still be answered. */
  const retired = new Set<Upstream>();
  const sentAgain = new WeakSet<Outgoing>();
  let link: Upstream | undefined;
  let closed = false;
  let paused = false;
  let lastError: BursarError | undefined;
  let restart: NodeJS.Timeout | undefined;
  let replay: { readonly key: string; readonly exchange: Exchange; readonly queue: Outgoing[]; readonly tells: boolean } | undefined;

  const lost = (error: BursarError): void => {
    link = undefined;
    lastError = error;
    backOff.lost();
    const queue = replay?.queue ?? [];
    replay = undefined;
    // What the lost link had not taken in holds back the client no more.
    events.onPressure(false);
    for (const { exchange } of queue) events.onExchangeEnd(exchange, error);
    events.onDown(error);
    planRestart();
  };

  const planRestart = (): void => {
    const waitMs = backOff.restartMs();
    if (closed || waitMs === undefined || session.initialized === undefined || !restarts()) return;
    clearTimeout(restart);
    onRestart?.(waitMs);
    restart = setTimeout(() => {
      if (closed || link !== undefined) return;
      try {
        link = connect();
      } catch {
        // The server was removed, or cannot be started: the next message says so.
        return;
      }
      startReplay(true);
    }, waitMs).unref();
  };

  const connect = (): Upstream => {
    clearTimeout(restart);
    backOff.begun();
    const current = open({
      onMessage(text, exchange, head) {
        const answered = replay && answerKind(text, replay.key);
        if (answered === 'result') return endReplay();
        if (answered === 'error') return failReplay(new BursarError('UPSTREAM_REFUSED', `The server "${name}" refused to begin another session.`, { context: { upstream: name } }));
        if (replay === undefined) backOff.worked();
        session.heard(text);
        events.onMessage(text, exchange, head);
      },
      onAnswerLost: (idText, error) => {
        if (replay?.key === idKey(idText, { start: 0, end: idText.length })) failReplay(error);
        else events.onAnswerLost(idText, error);
      },
      onExchangeEnd: (exchange, error, refusal) => {
        if (exchange === replay?.exchange) return failReplay(error ?? new BursarError('UPSTREAM_UNREACHABLE', `The server "${name}" did not answer as another session was begun.`, { context: { upstream: name } }));
        if (exchange !== REPLAY) events.onExchangeEnd(exchange, error, refusal);
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
    if (closed || session.again() === undefined || message.exchange === REPLAY || message.exchange === replay?.exchange || sentAgain.has(message)) return false;
    const repeats = message.paid !== true;
    if (repeats) sentAgain.add(message);
    if (link === from) {
      retire(from);
      // Where it cannot be opened now, the next message tries again.
      link = undefined;
      link = connect();
      startReplay(false, ...(repeats ? [message] : []));
    } else if (repeats) api.send(message);
    return repeats;
  };

  const endReplay = (): void => {
    const { queue = [], tells = false } = replay ?? {};
    replay = undefined;
    if (session.initialized !== undefined) link?.send({ text: session.initialized, exchange: REPLAY, handshake: 'initialized' });
    for (const message of queue) link?.send(message);
    if (tells) for (const text of session.changes()) events.onMessage(text);
  };

  /** A link without a session would go on refusing every call: the next message opens another one. */
  const failReplay = (error: BursarError): void => {
    const queue = replay?.queue ?? [];
    replay = undefined;
    if (link !== undefined) retire(link);
    link = undefined;
    lastError = error;
    backOff.lost();
    events.onPressure(false);
    for (const { exchange } of queue) events.onExchangeEnd(exchange, error);
    planRestart();
  };

  const retire = (old: Upstream): void => {
    retired.add(old);
    void old.retire().then(() => retired.delete(old));
  };

  const startReplay = (tells: boolean, ...queue: Outgoing[]): void => {
    const again = session.again();
    if (again === undefined) return queue.forEach((message) => link?.send(message));
    const exchange: Exchange = { channel: NOWHERE, unanswered: new Set() };
    replay = { key: again.key, exchange, queue, tells };
    link?.send({ text: again.text, exchange, handshake: 'initialize' });
  };

  const refuse = (exchange: Exchange, error: BursarError): void => events.onExchangeEnd(exchange, error);

  const api: KeptUpstream = {
    send(message) {
      if (closed) return refuse(message.exchange, new BursarError('UPSTREAM_EXITED', `The connection to the server "${name}" is closed.`, { context: { upstream: name } }));
      const fresh = link === undefined;
      if (fresh) {
        const wait = backOff.waitMs();
        if (wait > 0) {
          return refuse(message.exchange, new BursarError('UPSTREAM_EXITED', `The server "${name}" keeps ending. ${lastError?.message ?? ''}`.trim(), {
            context: { upstream: name, retryInMs: String(wait), ...lastError?.context },
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
      session.sent(message);
      if (fresh && message.handshake === undefined && session.again() !== undefined) return startReplay(true, message);
      if (replay !== undefined) replay.queue.push(message);
      else link?.send(message);
    },
    setPaused(value) {
      paused = value;
      for (const one of [link, ...retired]) one?.setPaused(value);
    },
    async reset(error) {
      const old = link;
      if (old === undefined) return;
      lost(error);
      backOff.forgive();
      await old.close();
    },
    async close() {
      closed = true;
      clearTimeout(restart);
      await Promise.all([...(link === undefined ? [] : [link]), ...retired].map((one) => one.close()));
      link = undefined;
    },
  };
  return api;
}

/** The exchange of messages that only the keeper awaits. */
const REPLAY: Exchange = { channel: NOWHERE, unanswered: new Set() };
