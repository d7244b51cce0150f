import { BLOCKHASH_WINDOW, type Bank } from './bank.ts';

/**
 * Ways in which a Solana RPC goes wrong. `then-…` executes first and misreports after; `expire-first` lets every blockhash out
 * there expire before it executes; `hide-status` answers that no signature is known.
 */
export const RPC_FAULTS = ['http-503', 'hang', 'then-http-503', 'then-hang', 'expire-first', 'hide-status'] as const;
/** One of {@link RPC_FAULTS}. */
export type RpcFault = (typeof RPC_FAULTS)[number];

/** The faults that are switched on, by method. */
export interface RpcFaults {
  on(method: string): RpcFault | undefined;
  /** Switches a method's fault; undefined ends it. */
  set(method: string, fault: RpcFault | undefined): void;
  clear(): void;
  expireBlockhashes(): void;
  /** Marks this point; what it gives back drops all that landed since, as the network does with a fork that lost. */
  fork(): () => void;
}

/** Fault switches for a bank's RPC, all off. */
export function createRpcFaults(bank: Bank): RpcFaults {
  const faults = new Map<string, RpcFault>();
  return {
    on: (method) => faults.get(method),
    set: (method, fault) => {
      if (fault === undefined) faults.delete(method);
      else faults.set(method, fault);
    },
    clear: () => faults.clear(),
    expireBlockhashes: () => bank.advance(BLOCKHASH_WINDOW + 1n),
    fork: () => {
      const before = bank.state();
      return () => bank.switchTo(before);
    },
  };
}
