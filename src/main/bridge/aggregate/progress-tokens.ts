/** So many progress tokens are remembered; the oldest is forgotten first. */
const MOST_TOKENS = 4_096;

/** At which server the client's progress tokens are. They outlast the answer, because that of a task is good for as long as the task (MCP 2025-11-25, Tasks). */
export interface ProgressTokens {
  /** A request with this token (its key) goes to the server. */
  sent(key: string, upstream: string): void;
  isAt(key: string, upstream: string): boolean;
}

export function createProgressTokens(): ProgressTokens {
  const upstreams = new Map<string, string>();
  return {
    sent(key, upstream) {
      upstreams.delete(key);
      upstreams.set(key, upstream);
      const [oldest] = upstreams.keys();
      if (upstreams.size > MOST_TOKENS && oldest !== undefined) upstreams.delete(oldest);
    },
    isAt: (key, upstream) => upstreams.get(key) === upstream,
  };
}
