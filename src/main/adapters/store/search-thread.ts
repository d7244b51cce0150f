import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { PaymentSearch } from './payment-search.ts';
import type { CLOSE, SearchReply } from './search-worker.ts';

/** {@link PaymentSearch} in a thread of its own, so that a look through a long ledger holds no payment up. */
export type SearchThread = { readonly [N in keyof PaymentSearch]: (...args: Parameters<PaymentSearch[N]>) => Promise<ReturnType<PaymentSearch[N]>> } & { close(): Promise<void> };

/** How long the thread may take to finish what it reads (ms). */
const CLOSE_MS = 2_000;
/** How long it stays without a question (ms): a thread holds some ten megabytes, and most of the day no page is open. */
const IDLE_MS = 20_000;

interface Asked {
  readonly of: Worker;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts at the first question and ends after a while without any; where the thread ends by itself, what was asked fails and the next question starts another one. */
export function createSearchThread({ entry, database, idleMs = IDLE_MS }: { readonly entry: string; readonly database: string; readonly idleMs?: number }): SearchThread {
  let worker: Worker | undefined;
  let last = 0;
  let closed = false;
  let idle: NodeJS.Timeout | undefined;
  const ending = new Set<Promise<void>>();
  const asked = new Map<number, Asked>();

  function start(): Worker {
    const started = new Worker(entry, { workerData: database });
    const ended = (error: Error): void => {
      if (worker === started) worker = undefined;
      for (const [id, { of, reject }] of asked) {
        if (of !== started) continue;
        asked.delete(id);
        reject(error);
      }
    };
    started.on('message', (reply: SearchReply) => {
      const one = asked.get(reply.id);
      asked.delete(reply.id);
      if (asked.size === 0) rest(started);
      if ('error' in reply) one?.reject(new Error(reply.error));
      else one?.resolve(reply.value as never);
    });
    started.on('error', (error) => ended(error instanceof Error ? error : new Error(String(error))));
    started.on('exit', () => ended(new Error('the reading thread ended')));
    return started;
  }

  /** While nothing is asked it keeps no process alive, and in the end not itself. */
  function rest(running: Worker): void {
    running.unref();
    if (worker === running) idle = setTimeout(retire, idleMs).unref();
  }

  /** A thread that is cut off in the middle of SQLite takes the process with it, so that it closes its database and ends by itself. */
  function retire(): void {
    clearTimeout(idle);
    const retired = worker;
    if (!retired) return;
    worker = undefined;
    const gone = new Promise<void>((resolve) => retired.once('exit', () => resolve())).then(() => void ending.delete(gone));
    ending.add(gone);
    retired.postMessage('close' satisfies typeof CLOSE, []);
  }

  function ask<N extends keyof PaymentSearch>(method: N, args: Parameters<PaymentSearch[N]>): Promise<ReturnType<PaymentSearch[N]>> {
    if (closed) return Promise.reject(new BursarError('INTERNAL', 'Bursar is closing.'));
    clearTimeout(idle);
    worker ??= start();
    const id = ++last;
    const running = worker;
    return new Promise((resolve, reject) => {
      asked.set(id, { of: running, resolve, reject });
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
      retire();
      const late = new AbortController();
      await Promise.race([Promise.all(ending), delay(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
  };
}
