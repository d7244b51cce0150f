const FIRST_MS = 500;
const MOST_MS = 30_000;
/** A server that lived for so long did not end because it was started. */
const HEALTHY_MS = 60_000;
/** So often in a row a server is started again before somebody asks something of it. */
const BY_ITSELF = 5;

/** When a server that keeps ending may be started again: at once, then after a while that doubles. */
export interface BackOff {
  /** The link is open. */
  begun(): void;
  /** It did what it is there for. */
  worked(): void;
  lost(): void;
  forgive(): void;
  /** So long a message is refused without another try (ms). */
  waitMs(): number;
  /** After so long it is started again by itself; undefined where that has not helped, and it waits for the next message. */
  restartMs(): number | undefined;
}

export function createBackOff(now: () => number): BackOff {
  let failures = 0;
  let begunAt = Infinity;
  let notBefore = 0;
  const forgive = (): void => {
    failures = 0;
    notBefore = 0;
  };
  return {
    forgive,
    begun: () => {
      begunAt = now();
    },
    worked: () => {
      failures = 0;
    },
    lost() {
      if (now() - begunAt > HEALTHY_MS) failures = 0;
      begunAt = Infinity;
      failures++;
      notBefore = failures < 2 ? 0 : now() + Math.min(FIRST_MS * 2 ** (failures - 2), MOST_MS);
    },
    waitMs: () => Math.max(0, Math.ceil(notBefore - now())),
    restartMs: () => (failures > BY_ITSELF ? undefined : Math.min(FIRST_MS * 2 ** Math.max(failures - 1, 0), MOST_MS)),
  };
}
