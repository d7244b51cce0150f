import { serveHttp, readBody, type HttpService } from '../../src/sandbox/http/http-service.ts';

/**
 * `down` answers 503, `hang` never, `stale` as it did before; `landed-503` and `landed-hang` pass the request on and misreport after,
 * `expired` lets every blockhash expire first, `hidden` knows no signature.
 */
export type RpcFault = 'down' | 'hang' | 'stale' | 'landed-503' | 'landed-hang' | 'expired' | 'hidden';

export interface RpcProxy extends HttpService {
  /** The next `times` requests of these methods (all without them) meet the fault. */
  set(fault: RpcFault, options: { readonly times: number; readonly methods?: readonly string[]; readonly onHit: () => void }): void;
  clear(): void;
}

/** What tells how far a chain has come: a server that lags behind repeats these. */
const HEADS = ['eth_getBlockByNumber', 'eth_blockNumber', 'getLatestBlockhash', 'getEpochInfo', 'getSlot', 'getBlockHeight'];

interface Active {
  readonly fault: RpcFault;
  readonly methods: readonly string[] | undefined;
  readonly onHit: () => void;
  left: number;
}

interface Message {
  readonly id: unknown;
  readonly method: string;
  readonly params?: unknown;
}

/** A JSON-RPC server between its users and `target`, honest until told otherwise. */
export async function serveRpcProxy(target: string, { expire = () => {} }: { expire?: () => void } = {}): Promise<RpcProxy> {
  let active: Active | undefined;
  const first = new Map<string, unknown>();

  const service = await serveHttp(async (request, response) => {
    const body = await readBody(request);
    const message = JSON.parse(body) as Message;
    const fault = meet(message.method);
    const unavailable = (): void => void response.writeHead(503).end('Service Unavailable');
    if (fault === 'hang') return;
    if (fault === 'down') return unavailable();
    if (fault === 'expired') expire();
    const key = JSON.stringify([message.method, message.params]);
    if (fault === 'stale' && first.has(key)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...(first.get(key) as object), id: message.id }));
      return;
    }
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    if (HEADS.includes(message.method) && !first.has(key)) first.set(key, JSON.parse(text));
    if (fault === 'landed-hang') return;
    if (fault === 'landed-503') return unavailable();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(fault === 'hidden' ? withoutStatuses(text) : text);
  });

  function meet(method: string): RpcFault | undefined {
    if (!active || active.left <= 0 || (active.methods && !active.methods.includes(method))) return undefined;
    if (active.fault === 'stale' && !HEADS.includes(method)) return undefined;
    active.left--;
    active.onHit();
    return active.fault;
  }

  return {
    ...service,
    set: (fault, { times, methods, onHit }) => {
      active = { fault, methods, onHit, left: times };
    },
    clear: () => {
      active = undefined;
    },
  };
}

function withoutStatuses(text: string): string {
  const reply = JSON.parse(text) as { result?: { value?: unknown[] } };
  return JSON.stringify({ ...reply, result: { ...reply.result, value: (reply.result?.value ?? []).map(() => null) } });
}
