import { BursarError, isBursarError, toErrorInfo } from '../../../shared/errors/errors.ts';
import type { Log, Observation } from '../../../core/ports.ts';
import type { Endpoint } from './endpoint.ts';

/** The RPC servers of one network, in the owner's order. */
export interface Pool {
  /** Does `work` with the server that answered last, and with the others in turn while it fails. Throws `CHAIN_UNREACHABLE`. */
  first<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T>;
  /**
   * Looks at a payment (I5). Money is called dead only when enough independent servers say so: two on a real network, else one. A
   * settlement is called final when every server that is set there, up to as many, shows the same one. Never throws.
   */
  observe(look: (endpoint: Endpoint) => Promise<Observation>): Promise<Observation>;
  close(): void;
}

export interface PoolOptions {
  readonly network: string;
  readonly endpoints: readonly Endpoint[];
  /** How many servers have to agree before money is called dead. */
  readonly witnesses: number;
  readonly log: Log;
}

export function createPool({ network, endpoints, witnesses, log }: PoolOptions): Pool {
  let preferred = 0;

  const inOrder = (): readonly Endpoint[] => [...endpoints.slice(preferred), ...endpoints.slice(0, preferred)];
  const worked = (endpoint: Endpoint): void => {
    preferred = endpoints.indexOf(endpoint);
  };
  const failure = (endpoint: Endpoint, error: unknown): string => {
    log.warn('an RPC server failed', { network, rpc: endpoint.host, why: toErrorInfo(error).message });
    return isBursarError(error) ? error.message : `The RPC server ${endpoint.host} gave something unexpected.`;
  };

  return {
    async first(work) {
      const failures: string[] = [];
      for (const endpoint of inOrder()) {
        try {
          const value = await work(endpoint);
          worked(endpoint);
          return value;
        } catch (error) {
          failures.push(failure(endpoint, error));
        }
      }
      throw new BursarError('CHAIN_UNREACHABLE', failures.join(' ') || `No RPC server is set for ${network}.`, { context: { network } });
    },

    async observe(look) {
      const failures: string[] = [];
      // Two addresses at one host are one witness.
      const dead = new Set<string>();
      const needed = Math.min(witnesses, new Set(endpoints.map(({ hostname }) => hostname)).size);
      const final = new Set<string>();
      let settled: Extract<Observation, { state: 'settled' }> | undefined;
      for (const endpoint of inOrder()) {
        try {
          const seen = await look(endpoint);
          if (dead.size === 0 && final.size === 0) worked(endpoint);
          if (settled && (seen.state !== 'settled' || seen.transaction !== settled.transaction)) {
            log.warn('RPC servers disagree about a settlement', { network, rpc: endpoint.host, transaction: settled.transaction });
            continue;
          }
          if (seen.state === 'dead') {
            dead.add(endpoint.hostname);
            if (dead.size >= witnesses) return seen;
          } else if (seen.state !== 'settled' || !seen.final) {
            return seen;
          } else {
            settled = seen;
            final.add(endpoint.hostname);
            if (final.size >= needed) return seen;
          }
        } catch (error) {
          failures.push(failure(endpoint, error));
        }
      }
      if (settled) return { ...settled, final: false };
      if (dead.size === 0) return { state: 'unreachable', why: failures.join(' ') || `No RPC server is set for ${network}.` };
      const advice = failures.length > 0 ? failures.join(' ') : 'Set a second RPC address for this network.';
      return { state: 'open', why: `It seems that the money can no longer move, but ${witnesses} independent RPC servers have to say so. ${advice}` };
    },

    close() {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}
