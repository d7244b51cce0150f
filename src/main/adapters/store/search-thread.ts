import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { PaymentSearch } from './payment-search.ts';
import type { CLOSE, SearchReply } from './search-worker.ts';

/** {@link PaymentSearch} in a thread of its own, so that a look through a long ledger holds no payment up. */
export type SearchThread = { readonly [N in keyof PaymentSearch]: (...args: Parameters<PaymentSearch[N]>) => Promise<ReturnType<PaymentSearch[N]>> } & { close(): Promise<void> };

/** How long the thread may take to finish what it reads (ms). */
const CLOSE_MS = 2_000;

interface Asked {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts at the first question; where the thread ends by itself, what was asked fails and the next question starts another one. */
export function createSearchThread({ entry, database }: { readonly entry: string; readonly database: string }): SearchThread {
  let worker: Worker | undefined;
  let last = 0;
  let closed = false;
  const asked = new Map<number, Asked>();

  function start(): Worker {
    const started = new Worker(entry, { workerData: database });
    const ended = (error: Error): void => {
      if (worker !== started) return;
      worker = undefined;
      for (const { reject } of asked.values()) reject(error);
      asked.clear();
    };
    started.on('message', (reply: SearchReply) => {
      const one = asked.get(reply.id);
      asked.delete(reply.id);
      // While nothing is asked it keeps no process alive.
      if (asked.size === 0) started.unref();
      if ('error' in reply) one?.reject(new Error(reply.error));
      else one?.resolve(reply.value as never);
    });
    started.on('error', (error) => ended(error instanceof Error ? error : new Error(String(error))));
    started.on('exit', () => ended(new Error('the reading thread ended')));
    return started;
  }

  function ask<N extends keyof PaymentSearch>(method: N, args: Parameters<PaymentSearch[N]>): Promise<ReturnType<PaymentSearch[N]>> {
    if (closed) return Promise.reject(new BursarError('INTERNAL', 'Bursar is closing.'));
    worker ??= start();
    const id = ++last;
    const running = worker;
    return new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject });
      running.ref();
      running.postMessage({ id, method, args }, []);
    });
  }

  return {
    find: (...args) => ask('find', args),
    totals: (...args) => ask('totals', args),
    facets: (...args) => ask('facets', args),
    spendBetween: (...args) => ask('spendBetween', args),
    async close() {
      closed = true;
      if (worker === undefined) return;
      const ending = worker;
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      // A thread that is cut off in the middle of SQLite takes the process with it, so that it closes its database and ends by itself.
      ending.postMessage('close' satisfies typeof CLOSE, []);
      const late = new AbortController();
      await Promise.race([ended, delay(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
  };
}
