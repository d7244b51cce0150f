import { WebSocket, type RawData } from 'ws';
import { z } from 'zod';
import { stringifyExact } from '../http/http-service.ts';
import type { Bank, Commitment } from './bank.ts';
import { withContext } from './rpc-context.ts';
import { RpcError } from './rpc-error.ts';
import { configAt, signatureAt } from './rpc-params.ts';
import { statusOf } from './transaction-methods.ts';

const METHOD_NOT_FOUND = -32601;
const PARSE_ERROR = -32700;

type Subscription = { readonly kind: 'slot' } | { readonly kind: 'signature'; readonly signature: string; readonly commitment: Commitment };

/** Serves `slotSubscribe` and `signatureSubscribe` (with their ends) on one WebSocket. */
export function serveSubscriptions(bank: Bank, socket: WebSocket): void {
  const subscriptions = new Map<number, Subscription>();
  let nextId = 1;
  let lastSlot = bank.slot;
  const send = (message: object): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(stringifyExact({ jsonrpc: '2.0', ...message }));
  };
  const notify = (): void => {
    const slotPassed = bank.slot !== lastSlot;
    lastSlot = bank.slot;
    for (const [subscription, wanted] of subscriptions) {
      if (wanted.kind === 'slot') {
        if (!slotPassed) continue;
        const result = { parent: bank.slot - 1n, root: bank.slotAt('finalized'), slot: bank.slot };
        send({ method: 'slotNotification', params: { subscription, result } });
        continue;
      }
      const status = statusOf(bank, wanted.signature);
      if (!status || (wanted.commitment === 'finalized' && status.confirmationStatus !== 'finalized')) continue;
      subscriptions.delete(subscription);
      send({ method: 'signatureNotification', params: { subscription, result: withContext(bank, wanted.commitment, { err: status.err }) } });
    }
  };
  const subscribe = (id: unknown, wanted: Subscription): void => {
    subscriptions.set(nextId, wanted);
    send({ id, result: nextId });
    nextId += 1;
    setImmediate(notify);
  };

  const stop = bank.onChange(notify);
  socket.on('close', stop);
  socket.on('error', () => socket.terminate());
  const serve = ({ id, method, params = [] }: SubscriptionRequest): void => {
    if (method === 'slotSubscribe') return subscribe(id, { kind: 'slot' });
    if (method === 'signatureSubscribe') {
      const { commitment = 'finalized' } = configAt(params, 1);
      return subscribe(id, { kind: 'signature', signature: signatureAt(params, 0), commitment });
    }
    if (method === 'slotUnsubscribe' || method === 'signatureUnsubscribe') {
      return send({ id, result: subscriptions.delete(Number(params[0])) });
    }
    if (method === 'ping') return send({ id, result: null });
    throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
  };
  socket.on('message', (data: RawData) => {
    const request = parse(data);
    if (!request) return send({ id: null, error: { code: PARSE_ERROR, message: 'Parse error' } });
    try {
      serve(request);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      send({ id: request.id, error: { code: error.code, message: error.message } });
    }
  });
}

const requestSchema = z.looseObject({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).optional() });
type SubscriptionRequest = z.infer<typeof requestSchema>;

function parse(data: RawData): SubscriptionRequest | undefined {
  try {
    return requestSchema.parse(JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : ''));
  } catch {
    return undefined;
  }
}
