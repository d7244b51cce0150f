import type { Log } from '../../core/ports.ts';
import type { Event, Topic } from '../../shared/contract/contract.ts';

/** Where main's parts say what became stale and carriers listen. */
export interface EventHub {
  /** Tells every carrier once, however often the topic is published before the event loop turns. */
  publish(topic: Topic): void;
  /** Calls back on every event. Returns the way to stop. */
  subscribe(listener: (event: Event) => void): () => void;
}

/** Creates the hub. A listener that throws is logged and does not keep the others from hearing. */
export function createEventHub({ log }: { readonly log: Log }): EventHub {
  const listeners = new Set<(event: Event) => void>();
  const pending = new Set<Topic>();

  const deliver = (): void => {
    const topics = [...pending];
    pending.clear();
    for (const topic of topics) {
      for (const listener of listeners) {
        try {
          listener({ topic });
        } catch (error) {
          log.error('an event listener failed', { topic, reason: error instanceof Error ? error.message : String(error) });
        }
      }
    }
  };

  return {
    publish(topic) {
      if (pending.size === 0) setImmediate(deliver);
      pending.add(topic);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
