/** Tasks that are remembered; the oldest is forgotten first. */
const MOST_TASKS = 4_096;
/** So long may all remembered texts be together, and a single one. What is longer is forwarded all the same, and not paid for by way of its task. */
const MOST_CHARACTERS = 32_000_000;
const LONGEST = 1_000_000;

/** A `tools/call` that a server answered with a task. */
export interface TaskCall {
  /** The raw request. */
  readonly callText: string;
  /** A key that it holds twice. */
  readonly repeatedKey: string | undefined;
  /** The task in which the server carries out the paid call; from then on, this one answers for the first. */
  successor?: string;
  /** The paid call's own response, where it came without a task; undefined where there is none, or it is too long to be kept. */
  paid?: { readonly responseText: string | undefined };
}

/** How a request asks about a task: for its result (MCP 2025-11-25), or for its state, which may hold the result (Tasks extension of 2026-07-28). */
export type TaskForm = 'result' | 'get' | 'other';

/** What a request of the client says about a task that one of its calls began. */
export interface TaskRequest {
  readonly form: TaskForm;
  /** As the client knows it. */
  readonly taskId: string;
  readonly call: TaskCall;
  /** The raw request as it went to the server. */
  readonly text: string;
}

/** The tasks of one client at one server. They outlive its connection, as the server's may. */
export interface TaskCalls {
  began(taskId: string, call: Pick<TaskCall, 'callText' | 'repeatedKey'>): void;
  of(taskId: string): TaskCall | undefined;
  /** Keeps what was paid for, so that asking again buys nothing again. */
  keep(taskId: string, responseText: string): void;
}

/** Which calls began which tasks, for all clients. */
export interface TaskBook {
  of(client: string, upstream: string): TaskCalls;
  /** The server was changed or removed. */
  forget(upstream: string): void;
}

export function createTaskBook(): TaskBook {
  interface Entry {
    readonly upstream: string;
    readonly call: TaskCall;
  }
  const entries = new Map<string, Entry>();
  let characters = 0;

  const lengthOf = ({ callText, paid }: TaskCall): number => callText.length + (paid?.responseText?.length ?? 0);
  const drop = (key: string): void => {
    const entry = entries.get(key);
    if (entry !== undefined) characters -= lengthOf(entry.call);
    entries.delete(key);
  };
  const shrink = (): void => {
    for (const key of entries.keys()) {
      if (entries.size <= MOST_TASKS && characters <= MOST_CHARACTERS) return;
      drop(key);
    }
  };

  return {
    of(client, upstream) {
      const keyOf = (taskId: string): string => JSON.stringify([client, upstream, taskId]);
      return {
        began(taskId, call) {
          if (call.callText.length > LONGEST) return;
          const key = keyOf(taskId);
          drop(key);
          entries.set(key, { upstream, call: { ...call } });
          characters += call.callText.length;
          shrink();
        },
        of: (taskId) => (entries.size === 0 ? undefined : entries.get(keyOf(taskId))?.call),
        keep(taskId, responseText) {
          const call = entries.get(keyOf(taskId))?.call;
          if (call === undefined || call.paid !== undefined) return;
          const isKept = responseText.length <= LONGEST;
          call.paid = { responseText: isKept ? responseText : undefined };
          if (isKept) characters += responseText.length;
          shrink();
        },
      };
    },
    forget(upstream) {
      for (const [key, entry] of entries) if (entry.upstream === upstream) drop(key);
    },
  };
}
