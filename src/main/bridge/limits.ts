/** Bounds of the data path. Sizes in bytes of UTF-8 text, times in milliseconds. */
export interface BridgeLimits {
  /** The largest single message, in either direction. */
  readonly maxMessageBytes: number;
  /** Open sessions over both downstream transports. */
  readonly maxSessions: number;
  /** Of those, what one client may have; clients that only claim their name share one such part. */
  readonly maxSessionsPerClient: number;
  /** An HTTP session without an open request or stream is closed after this time. */
  readonly sessionIdleMs: number;
  /** How long a stream of a session is kept for a client whose connection is gone. */
  readonly resumeMs: number;
  /** How long a session whose client has gone is kept for the payments that still run in it. */
  readonly drainMs: number;
  /**
   * How long calls that run may take to come to their end once Bursar is told to stop. What is signed by then is in the journal, and is followed
   * and handed over after the next start.
   */
  readonly stopMs: number;
  /** How long a list of all servers' tools waits for a server of which nothing is known. What it lists later is announced to the client. */
  readonly listWaitMs: number;
  /**
   * How long the end of a task is waited for that a paid call began, so that the payment is judged by what the tool gave. Less than the payment side waits for
   * any answer. A task that takes longer was paid for all the same, and its client goes on asking for it.
   */
  readonly paidTaskMs: number;
  /** How long a TCP or TLS connection to an HTTP upstream may take. An answer may take as long as it likes. */
  readonly connectMs: number;
}

export const DEFAULT_LIMITS: BridgeLimits = {
  maxMessageBytes: 64 * 1024 * 1024,
  maxSessions: 512,
  maxSessionsPerClient: 128,
  sessionIdleMs: 60 * 60 * 1000,
  resumeMs: 30_000,
  drainMs: 10 * 60 * 1000,
  stopMs: 8_000,
  listWaitMs: 10_000,
  paidTaskMs: 60_000,
  connectMs: 10_000,
};
