import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { createPaymentSearch, type PaymentSearch } from './payment-search.ts';

/** What crosses to the worker and back. Whatever fails in it is told as a text. */
export type SearchRequest = { readonly [N in keyof PaymentSearch]: { readonly id: number; readonly method: N; readonly args: Parameters<PaymentSearch[N]> } }[keyof PaymentSearch];
/** Ends the thread once what was asked before is answered. */
export const CLOSE = 'close';
export type SearchReply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

// The connection may read and nothing else: main alone writes.
const db = new Database(String(workerData), { readonly: true, fileMustExist: true });
db.pragma('trusted_schema = OFF');
db.pragma('busy_timeout = 5000');
const search = createPaymentSearch(db);

const answer = ({ method, args }: SearchRequest): unknown => (search[method] as (...given: readonly unknown[]) => unknown)(...args);

parentPort?.on('message', (request: SearchRequest | typeof CLOSE) => {
  if (request === CLOSE) {
    db.close();
    process.exit();
  }
  const { id } = request;
  const reply = (sent: SearchReply): void => parentPort?.postMessage(sent, []);
  try {
    reply({ id, value: answer(request) });
  } catch (error) {
    reply({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
