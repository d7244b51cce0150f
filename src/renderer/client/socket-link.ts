import type { Envelope, Event, RequestFrame, RouteInput, RouteName, RouteOutput, Topic } from '../../shared/contract/contract.ts';
import { linkTexts } from '../texts/common.ts';
import { TOPICS, isEnvelope, isRecord, isTopic, localFailure, type Link, type LinkState } from './link.ts';

export interface SocketLinkOptions {
  readonly url: string;
  /** The page's own key, which main wants beside the cookie. */
  readonly key: string;
  /** Milliseconds to wait before the try after `attempts` failed ones. */
  readonly backoff?: (attempts: number) => number;
  /** Milliseconds after which a request without an answer fails, but for those that wait for the owner. */
  readonly answerWithin?: number;
}

/** A link that can be ended for good. */
export interface SocketLink extends Link {
  close(): void;
}

interface Pending {
  readonly route: RouteName;
  readonly settle: (reply: Envelope<unknown>) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

type Frame = { readonly id: number; readonly reply: Envelope<unknown> } | { readonly topic: Topic };

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;

/** Requests that main answers only once the owner decided, in ms: longer than main itself waits. Given up early, they would be repeated, and the money sent twice. */
const PATIENCE: Partial<Record<RouteName, number>> = { 'sends.send': 600_000, 'onboarding.buy': 600_000 };

/** Doubles from 250 ms to 5 s and takes a random half off, so that many pages do not return at once. */
export const backoffWithJitter = (attempts: number, random: () => number = Math.random): number =>
  Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.max(0, attempts - 1)) * (1 - random() / 2);

function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return undefined;
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (!isRecord(frame)) return undefined;
  const { id, reply, event } = frame;
  if (typeof id === 'number' && isEnvelope(reply)) return { id, reply };
  if (isRecord(event) && isTopic(event['topic'])) return { topic: event['topic'] };
  return undefined;
}

/**
 * The link of a page in a browser: one WebSocket, opened again whenever it ends. A request that cannot be answered is answered
 * with an error at once and never sent later: a decision must not reach main after its owner saw it fail.
 * Only before the first connection are requests held until it stands or fails.
 */
export function openSocketLink({ url, key, backoff = backoffWithJitter, answerWithin = 30_000 }: SocketLinkOptions): SocketLink {
  const pending = new Map<number, Pending>();
  const eventListeners = new Set<(event: Event) => void>();
  const stateListeners = new Set<() => void>();
  let held: RequestFrame[] = [];
  let state: LinkState = { phase: 'connecting', attempts: 0 };
  let nextId = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let socket = connect();

  function connect(): WebSocket {
    const fresh = new WebSocket(url, ['bursar', ...(key === '' ? [] : [`key.${key}`])]);
    fresh.addEventListener('open', opened);
    fresh.addEventListener('message', received);
    fresh.addEventListener('close', dropped, { once: true });
    return fresh;
  }

  function change(next: LinkState): void {
    state = next;
    for (const listener of stateListeners) listener();
  }

  function signal(topic: Topic): void {
    for (const listener of eventListeners) listener({ topic });
  }

  function opened(): void {
    const returned = state.phase === 'lost';
    change({ phase: 'open', attempts: 0 });
    for (const frame of held) socket.send(JSON.stringify(frame));
    held = [];
    if (returned) TOPICS.forEach(signal);
  }

  function received(message: MessageEvent): void {
    const frame = readFrame(message.data);
    // Whoever speaks otherwise is not this version's main; the close answers what is pending and tries again.
    if (!frame) return socket.close(4000, 'unreadable frame');
    if ('topic' in frame) return signal(frame.topic);
    settle(frame.id, frame.reply);
  }

  function dropped(): void {
    held = [];
    for (const [id, { route }] of pending) settle(id, localFailure('link-lost', linkTexts.dropped(route), linkTexts.droppedHint));
    if (ended) return;
    const attempts = state.attempts + 1;
    retry = setTimeout(() => (socket = connect()), backoff(attempts));
    change({ phase: 'lost', attempts });
  }

  function settle(id: number, reply: Envelope<unknown>): void {
    const waiting = pending.get(id);
    if (!waiting) return;
    pending.delete(id);
    clearTimeout(waiting.timer);
    waiting.settle(reply);
  }

  function send(route: RouteName, input: unknown): Promise<Envelope<unknown>> {
    if (ended || state.phase === 'lost') return Promise.resolve(localFailure('link-lost', linkTexts.down, linkTexts.downHint));
    const frame: RequestFrame = { id: nextId++, route, input };
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(frame.id, localFailure('no-answer', linkTexts.noAnswer(route), linkTexts.droppedHint)), PATIENCE[route] ?? answerWithin);
      pending.set(frame.id, { route, settle: resolve, timer });
      if (state.phase === 'open') socket.send(JSON.stringify(frame));
      else held.push(frame);
    });
  }

  return {
    state: () => state,
    onState(listener) {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    request: <N extends RouteName>(route: N, input: RouteInput<N>) => send(route, input) as Promise<Envelope<RouteOutput<N>>>,
    subscribe(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    close() {
      ended = true;
      clearTimeout(retry);
      socket.close();
    },
  };
}
