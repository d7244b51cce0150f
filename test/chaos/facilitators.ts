import { setTimeout as delay } from 'node:timers/promises';
import { createEvmClients } from '../../src/sandbox/evm/clients.ts';
import { createFacilitator } from '../../src/sandbox/facilitator/facilitator.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../src/sandbox/networks.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { facilitatorClient, type FacilitatorClient } from '../../src/sandbox/seller/payment/facilitator-client.ts';
import { sandboxKey } from '../../src/sandbox/solana/chain.ts';
import type { Director } from './director.ts';
import { isSolanaFault, SOLANA_FAULTS, type SolanaFault } from './faults.ts';
import type { PlannedCall } from './plan.ts';
import { serveRpcProxy, type RpcFault } from './rpc-proxy.ts';

/** How long a facilitator waits for a confirmation, and a seller for its facilitator. */
export const CONFIRMATION_MS = 2_000;
/** What a facilitator does within it, a slow machine does too; `FROZEN_MS` is longer. */
export const PATIENCE_MS = 4_000;
const TIMEOUT_FAULT_MS = 100;

const RPC_FAULTS: Readonly<Record<SolanaFault, { readonly fault: RpcFault; readonly methods: readonly string[] }>> = {
  'solana-503': { fault: 'down', methods: ['sendTransaction'] },
  'solana-hang': { fault: 'hang', methods: ['sendTransaction'] },
  'solana-landed-503': { fault: 'landed-503', methods: ['sendTransaction'] },
  'solana-landed-hang': { fault: 'landed-hang', methods: ['sendTransaction'] },
  'solana-expired': { fault: 'expired', methods: ['sendTransaction'] },
  'solana-hidden': { fault: 'hidden', methods: ['getSignatureStatuses'] },
};

/** The facilitator as the seller of one call meets it: the stock one, with this call's fault in its way. */
export interface Facilitators {
  of(call: PlannedCall): FacilitatorClient;
  readonly honest: FacilitatorClient;
  close(): Promise<void>;
}

/**
 * The sandbox's own facilitator for most calls, and for each fault of the Solana RPC a stock facilitator of its own behind a server that
 * has just this fault: so a fault strikes the call that it was drawn for and no other.
 */
export async function openFacilitators(sandbox: Sandbox, director: Director): Promise<Facilitators> {
  const honest = facilitatorClient(sandbox.facilitatorUrl, PATIENCE_MS);
  const clients = createEvmClients(sandbox.evm.rpcUrl);
  const [facilitator] = await clients.wallet.getAddresses();
  const opened = await Promise.all(
    SOLANA_FAULTS.map(async (name) => {
      const proxy = await serveRpcProxy(sandbox.solana.rpcUrl, { expire: () => sandbox.time.advanceSolana(151) });
      const { fault, methods } = RPC_FAULTS[name];
      proxy.set(fault, { times: Infinity, methods, onHit: () => {} });
      const solana = { rpcUrl: proxy.url, privateKey: sandboxKey('solana facilitator') };
      return { name, proxy, service: await createFacilitator({ evm: { clients, facilitator: facilitator! }, solana, confirmationTimeoutMs: CONFIRMATION_MS }) };
    }),
  );
  type Settle = FacilitatorClient['settle'];
  const troubled = new Map<SolanaFault, Settle>(
    opened.map(({ name, service }) => [
      name,
      (payment, offer) => within(PATIENCE_MS, service.settle(payment as Parameters<typeof service.settle>[0], offer as unknown as Parameters<typeof service.settle>[1])) as ReturnType<Settle>,
    ]),
  );

  const of = (call: PlannedCall): FacilitatorClient => ({
    supported: () => honest.supported(),
    async verify(payment, offer) {
      if (director.strikes(call, 'verify-500')) throw new Error('the facilitator answered 500');
      if (director.strikes(call, 'verify-timeout')) return timeout();
      if (director.strikes(call, 'verify-lie')) return { isValid: true };
      return honest.verify(payment, offer);
    },
    async settle(payment, offer) {
      if (director.strikes(call, 'settle-500')) throw new Error('the facilitator answered 500');
      if (director.strikes(call, 'settle-timeout')) return timeout();
      if (director.strikes(call, 'settle-lie')) return { success: true, transaction: call.chain === 'evm' ? `0x${'ab'.repeat(32)}` : '5'.repeat(88), network: call.chain === 'evm' ? EVM_NETWORK : SOLANA_NETWORK };
      const struck = isSolanaFault(call.fault) && director.strikes(call, call.fault) ? troubled.get(call.fault) : undefined;
      const receipt = await (struck ?? honest.settle)(payment, offer);
      if (receipt.success) director.reach(call, 'settled');
      if (director.strikes(call, 'settle-then-500')) throw new Error('the facilitator answered 500');
      if (director.strikes(call, 'settle-then-hang')) return timeout();
      return receipt;
    },
  });
  return {
    of,
    honest,
    async close() {
      await Promise.all(opened.map(({ proxy }) => proxy.close()));
    },
  };
}

async function timeout(): Promise<never> {
  await delay(TIMEOUT_FAULT_MS);
  throw new Error('the facilitator gave no answer in time');
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return Promise.race([work, delay(ms, undefined, { ref: false }).then(() => timeout())]);
}
