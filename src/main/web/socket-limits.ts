/** Bounds of one page's WebSocket. A page of ours stays far below them. */
export interface SocketLimits {
  /** Bytes of one frame from the page. */
  readonly maxFrameBytes: number;
  /** Requests that a connection may make at once, and how many it regains per second. */
  readonly burst: number;
  readonly perSecond: number;
  /** Bytes that may wait to be read by the page before it counts as gone. */
  readonly maxBufferedBytes: number;
  /** A connection that answers no ping for so long (ms) is ended. */
  readonly pingEveryMs: number;
  /** Connections of all pages together. */
  readonly maxConnections: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  maxFrameBytes: 1 << 20,
  burst: 200,
  perSecond: 50,
  maxBufferedBytes: 8 << 20,
  pingEveryMs: 30_000,
  maxConnections: 32,
};

/** A token bucket. Returns a function that takes one token, false when there is none. */
export function createRateCap({ burst, perSecond }: Pick<SocketLimits, 'burst' | 'perSecond'>, now: () => number = () => performance.now()): () => boolean {
  let tokens = burst;
  let at = now();
  return () => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - at) / 1000) * perSecond);
    at = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
