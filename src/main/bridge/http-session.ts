import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Bridge } from './bridge.ts';
import type { ClientChannel } from './channel.ts';
import type { ClientSession } from './client-session.ts';
import type { ClientCaller } from './http-gate.ts';
import { eventStream, sessionReply, type ReplyOptions } from './http-reply.ts';
import { PassingMap } from './passing.ts';
import { createResumableStream, readEventId, type ResumableStream } from './resumable-stream.ts';

/** So many streams that are complete are kept, because a client may have lost the end of one. */
const COMPLETE_STREAMS = 8;
/** The same in UTF-16 units of their text, beyond the newest. */
const COMPLETE_LENGTH = 8 * 1024 * 1024;

/** One `Mcp-Session-Id`. */
export interface HttpSession {
  readonly session: ClientSession;
  /** Makes this response the session's own stream (an older one ends), or goes on with the stream that `lastEventId` names. */
  openStream(response: ServerResponse, lastEventId?: string): void;
  /** The answer to one POST. `onLost` is told when the client is gone and did not come back for it. */
  reply(response: ServerResponse, options: ReplyOptions & { readonly primes: boolean; readonly onLost: () => void }): ClientChannel;
  /** When it was last used, and whether it is in use now. */
  idleSince(): number | undefined;
  touch(): void;
  /** It was ended because another session needed its place. */
  readonly gone: boolean;
  close(): Promise<void>;
}

/** Opens a session whose main channel is the client's GET stream. */
export function openHttpSession(bridge: Bridge, caller: ClientCaller, upstream: string): HttpSession {
  const streams = new PassingMap<string, ResumableStream>();
  const waiting = new PassingMap<ResumableStream, NodeJS.Timeout>();
  const lost = new PassingMap<ResumableStream, () => void>();
  const streamPrefix = randomBytes(8).toString('hex');
  let streamCount = 0;
  let completeLength = 0;
  let lastUse = performance.now();

  const onDropped = (): void => bridge.log.warn('a client does not fetch what its server says; the oldest message was dropped', { client: caller.client, upstream });
  const mainStream = createResumableStream('main', onDropped);
  const main: ClientChannel = {
    streams: true,
    get open() {
      return mainStream.carried;
    },
    write: (text, { done } = {}) => mainStream.write(text, done),
    end: () => undefined,
  };
  let gone = false;
  const idleSince = (): number | undefined => (mainStream.carried || session.openRequests > 0 ? undefined : lastUse);
  const close = async (): Promise<void> => {
    for (const stream of streams.values()) if (!stream.carried) giveUp(stream);
    mainStream.end();
    await session.close();
  };
  const giveWay = (): void => {
    gone = true;
    void close();
  };
  const session = bridge.connect({ ...caller, upstream, main, spare: { idleSince, giveWay } });

  const giveUp = (stream: ResumableStream): void => {
    clearTimeout(waiting.get(stream));
    waiting.delete(stream);
    streams.delete(stream.id);
    stream.abandon();
    lost.get(stream)?.();
    lost.delete(stream);
  };
  const forgetComplete = (): void => {
    const complete = [...streams.values()].filter(({ ended, carried }) => ended && !carried);
    const most = COMPLETE_LENGTH + (complete.at(-1)?.length ?? 0);
    completeLength = 0;
    for (const [index, { id, length }] of complete.toReversed().entries()) {
      if (index >= COMPLETE_STREAMS || completeLength + length > most) streams.delete(id);
      else completeLength += length;
    }
  };
  const onGone = (stream: ResumableStream, resumable: boolean): void => {
    lastUse = performance.now();
    if (stream.carried) return;
    if (stream.ended) {
      lost.get(stream)?.();
      lost.delete(stream);
      completeLength += stream.length;
      if (streams.size <= COMPLETE_STREAMS && completeLength <= COMPLETE_LENGTH) return;
      forgetComplete();
    } else if (resumable) waiting.set(stream, setTimeout(giveUp, bridge.limits.resumeMs, stream));
    else giveUp(stream);
  };
  const resume = (stream: ResumableStream, response: ServerResponse, channel: ClientChannel, after?: number): void => {
    clearTimeout(waiting.get(stream));
    waiting.delete(stream);
    const connection = eventStream(response, { 'mcp-session-id': session.id }, (slow) => session.setSlow(channel, slow));
    stream.carry(connection, after);
    response.on('close', () => {
      stream.drop(connection);
      session.setSlow(channel, false);
      if (stream !== mainStream) onGone(stream, true);
      lastUse = performance.now();
    });
  };

  return {
    session,
    openStream(response, lastEventId) {
      const named = lastEventId === undefined ? undefined : readEventId(lastEventId);
      const stream = named === undefined ? undefined : streams.get(named.stream);
      if (stream !== undefined) resume(stream, response, main, named?.number);
      else resume(mainStream, response, main, named?.stream === mainStream.id ? named.number : undefined);
    },
    reply(response, { primes, onLost, ...options }) {
      const stream = createResumableStream(`${streamPrefix}${(streamCount++).toString(16)}`, onDropped);
      streams.set(stream.id, stream);
      lost.set(stream, onLost);
      return sessionReply(response, { ...options, stream, primes, onGone: () => onGone(stream, primes && response.headersSent) });
    },
    idleSince,
    touch() {
      lastUse = performance.now();
    },
    get gone() {
      return gone;
    },
    close,
  };
}
