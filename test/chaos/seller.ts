import type { CallToolResult } from '@modelcontextprotocol/server';
import { SOLANA_NETWORK, EVM_NETWORK } from '../../src/sandbox/networks.ts';
import type { FacilitatorClient } from '../../src/sandbox/seller/payment/facilitator-client.ts';
import { officialV2 } from '../../src/sandbox/seller/dialects/x402-mcp.ts';
import type { Call, Reply as SellerReply } from '../../src/sandbox/seller/payment/call.ts';
import type { SellingDialect } from '../../src/sandbox/seller/payment/dialect.ts';
import { transferError } from '../../src/sandbox/seller/dialects/transfer.ts';
import { noPaymentLog } from '../../src/sandbox/seller/payment/events.ts';
import { exactRail, facilitatorSettlement } from '../../src/sandbox/seller/payment/rails/exact.ts';
import { prepaidSettlement, transferRail } from '../../src/sandbox/seller/payment/rails/transfer-svm.ts';
import type { PaymentRail, Settlement } from '../../src/sandbox/seller/payment/rail.ts';
import { openPaymentStore } from '../../src/sandbox/seller/payment/store.ts';
import type { PayTo } from '../../src/sandbox/seller/payment/terms.ts';
import { withPayment } from '../../src/sandbox/seller/payment/with-payment.ts';
import type { Director, SeenProof } from './director.ts';
import type { Facilitators } from './facilitators.ts';
import type { PlannedCall } from './plan.ts';

/** What a seller does with a message. `nothing` is silence for ever. */
export type Reply = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'accepted' } | { readonly kind: 'dies' } | { readonly kind: 'nothing' };

export interface SellerOptions {
  readonly director: Director;
  readonly facilitators: Facilitators;
  readonly payTo: PayTo;
  /** Somebody else's addresses, for a payee that changes. */
  readonly strangers: PayTo;
  readonly solanaFeePayer: string;
  readonly solanaRpcUrl: string;
}

/** Parallel copies of a call that the agent retries. */
export const BURST = 50;
const BURST_LIMIT_MS = 15_000;
const MAX_TIMEOUT_SECONDS = 120;

/** The argument that names a transfer. */
const PAYMENT = '_payment';

interface Arguments {
  readonly call?: number;
  readonly [PAYMENT]?: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: Arguments; readonly _meta?: Readonly<Record<string, unknown>>; readonly protocolVersion?: string };
}

/** A paid MCP server in one function, with official x402 v2 payment from the demo seller's parts. A call's planned fault strikes once. */
export function createChaosSeller({ director, facilitators, payTo, strangers, solanaFeePayer, solanaRpcUrl }: SellerOptions) {
  return async (text: string): Promise<Reply> => {
    const { id, method, params } = JSON.parse(text) as Request;
    if (id === undefined) return { kind: 'accepted' };
    const result = (value: object): Reply => ({ kind: 'text', text: JSON.stringify({ jsonrpc: '2.0', id, result: value }) });
    if (method === 'initialize') return result({ protocolVersion: params?.protocolVersion ?? '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'chaos-seller', version: '1' } });
    if (method === 'tools/list') return result({ tools: [{ name: 'buy', inputSchema: { type: 'object' } }] });
    const call = director.call(params?.arguments?.call ?? -1);
    if (method !== 'tools/call' || !call) return result({});
    if (call.prepaid) return prepaid(call, id, params?.arguments ?? {});
    const payment = params?._meta?.['x402/payment'] as Pick<SeenProof, 'payload' | 'accepted'> | undefined;
    return payment ? await paid(call, payment, params?._meta ?? {}, result) : result(await sell(call, payTo, facilitators.honest, {}));
  };

  /** Sold for a transfer that the buyer made itself. Nothing befalls such a call but the death of the application. */
  async function prepaid(call: PlannedCall, id: number | string, args: Arguments): Promise<Reply> {
    if (args[PAYMENT] === undefined) director.reach(call, 'challenged');
    else {
      director.proofs.push({ house: director.houseOf(call.id), call: call.id, payload: args[PAYMENT], accepted: {} });
      director.reach(call, 'paid');
    }
    const rail = transferRail({ rpcUrl: solanaRpcUrl, payTo: payTo.solana, maxAgeMs: Infinity, now: () => Date.now() });
    const reply = await sale(call, { dialect: transferError, rail, settle: prepaidSettlement })({ args: { ...args }, meta: {}, headers: {} });
    if (reply.kind === 'result' && args[PAYMENT] !== undefined) director.reach(call, 'settled');
    if (reply.kind === 'http') throw new Error('not a message');
    const { kind, ...said } = reply;
    return { kind: 'text', text: JSON.stringify({ jsonrpc: '2.0', id, ...(kind === 'result' ? said : { error: said }) }) };
  }

  async function paid(call: PlannedCall, payment: Pick<SeenProof, 'payload' | 'accepted'>, meta: Readonly<Record<string, unknown>>, result: (value: object) => Reply): Promise<Reply> {
    director.proofs.push({ house: director.houseOf(call.id), call: call.id, payload: payment.payload, accepted: payment.accepted });
    director.reach(call, 'paid');
    await director.gate?.(call);
    if (call.fault === 'burst-of-50') await director.untilReached(call, 'challenged', BURST, BURST_LIMIT_MS);
    if (director.strikes(call, 'dies-before-verify')) return { kind: 'dies' };
    if (director.strikes(call, 'second-challenge')) return result(await sell(call, payTo, facilitators.honest, {}));
    if (director.strikes(call, 'payee-changed')) return result(await sell(call, strangers, facilitators.honest, {}));

    const death = Promise.withResolvers<Reply>();
    const facilitator = facilitators.of(call);
    const mortal: FacilitatorClient = {
      ...facilitator,
      async verify(...request) {
        const verdict = await facilitator.verify(...request);
        if (director.strikes(call, 'dies-after-verify')) death.resolve({ kind: 'dies' });
        else return verdict;
        return new Promise(() => {});
      },
    };
    return Promise.race([death.promise, sell(call, payTo, mortal, meta).then((served) => afterSelling(call, served, result))]);
  }

  function afterSelling(call: PlannedCall, served: CallToolResult, result: (value: object) => Reply): Reply {
    if (served.isError) return result(served);
    if (director.strikes(call, 'dies-after-settle')) return { kind: 'dies' };
    if (director.strikes(call, 'never-answers')) return { kind: 'nothing' };
    if (director.strikes(call, 'garbage')) return { kind: 'text', text: '{"jsonrpc":"2.0","result":{"content":[{"type":"te' };
    if (director.strikes(call, 'error-after-settle')) return result({ isError: true, content: [{ type: 'text', text: 'The tool failed after it was paid.' }] });
    return result(served);
  }

  async function sell(call: PlannedCall, payee: PayTo, facilitator: FacilitatorClient, meta: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
    const network = call.chain === 'evm' ? EVM_NETWORK : SOLANA_NETWORK;
    const rail = exactRail({ network, version: 2, facilitator, payTo: payee, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, feePayer: async () => solanaFeePayer });
    if (meta['x402/payment'] === undefined) director.reach(call, 'challenged');
    const reply = await sale(call, { dialect: officialV2, rail, settle: facilitatorSettlement(facilitator) })({ args: {}, meta, headers: {} });
    if (reply.kind !== 'result') throw new Error(`not a tool result: ${reply.kind}`);
    return reply.result as CallToolResult;
  }

  function sale(call: PlannedCall, { dialect, rail, settle }: { dialect: SellingDialect; rail: PaymentRail; settle: Settlement }): (message: Call) => Promise<SellerReply> {
    return async (message) => {
      // A store of its own for each message: what is sold twice, the chain alone has to stop.
      const store = openPaymentStore();
      const desk = { store, settle, log: noPaymentLog, challengeTtlMs: 60_000, leaseMs: 60_000, verifyOnly: false, now: () => Date.now() };
      const product = { name: 'buy', url: 'mcp://tool/buy', description: 'A thing', mimeType: 'application/json' };
      const price = () => ({ units: BigInt(call.units), decimals: 6, currency: 'USDC' });
      const handler = withPayment(desk, { product, dialect, rails: [rail], price, enabled: true }, (): SellerReply => {
        if (director.strikes(call, 'error-before-settle')) return { kind: 'result', result: { isError: true, content: [{ type: 'text', text: 'The tool failed.' }] } };
        return { kind: 'result', result: { content: [{ type: 'text', text: `served ${call.id}` }] } };
      });
      try {
        return await handler(message);
      } finally {
        store.close();
      }
    };
  }
}
