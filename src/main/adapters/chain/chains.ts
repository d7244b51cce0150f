import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import { baseUnits, type BaseUnits } from '../../../shared/money/money.ts';
import type { Chain, Log, Observation, Rail, Track } from '../../../core/ports.ts';
import type { Asset } from '../../../core/registry/assets.ts';
import { isCoin } from '../../../core/registry/coins.ts';
import type { NetworkId } from '../../../core/registry/networks.ts';
import { createBalanceCache } from './balance-cache.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createEvmTransactions, type EvmTransactions } from './evm-transactions.ts';
import { balanceQuestion, readEvmBalance, readEvmCode, readEvmCoin } from './evm-reader.ts';
import { identified } from './identity.ts';
import { lookAtEip3009 } from './observe-eip3009.ts';
import { lookAtEscrow, type EscrowSight, type WatchedEscrow } from './observe-escrow.ts';
import { createExactSvmLook } from './observe-exact-svm.ts';
import { lookAtTransferEvm } from './observe-transfer-evm.ts';
import { lookAtTransferSvm } from './observe-transfer-svm.ts';
import { createPool, type Pool } from './pool.ts';
import { createSolanaAccounts, readBalancesAt, type BalanceAt, type SolanaAccounts } from './solana-accounts.ts';
import { readLatestBlockhash, readLamports, readTokenAmount } from './solana-reader.ts';
import { tokenAccountOf } from './token-account.ts';

/** How long one server may take to show balances before the next one is asked. */
const BALANCES_LIMIT_MS = 2_000;
/** Owns every wallet, and what nobody has given to another program (Solana, System Program). */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** On a real network this many independent RPC servers have to say that money is dead (I5). */
const WITNESSES = 2;

export interface NetworkOptions {
  readonly rpcUrls: readonly string[];
  /** Blocks after which a settlement is final, where an EVM network has no finalized block of its own. */
  readonly confirmations?: number | undefined;
}

export interface ChainsOptions {
  /** The enabled networks with the addresses of their RPC servers, the preferred one first. */
  readonly networks: Readonly<Partial<Record<NetworkId, NetworkOptions>>>;
  /** True where a network's money is worth something. */
  readonly real: (network: NetworkId) => boolean;
  /** Whose token accounts a Solana account pays from as their delegate; its balance is what it can spend of them. */
  readonly delegatedFrom?: (address: string) => string | undefined;
  /** Longest time that one RPC call may take. */
  readonly timeoutMs?: number;
  readonly log: Log;
}

/** Everything that Bursar reads from chains. */
export interface Chains extends Chain {
  /** A fresh blockhash by one call, never a shared one: its age shortens the payment's life. Throws `CHAIN_UNREACHABLE`. */
  latestBlockhash(network: NetworkId, signal: AbortSignal): Promise<{ blockhash: string; lastValidBlockHeight: bigint; slot: bigint }>;
  /** The `observe` of the EIP-3009 rail. */
  readonly observeEip3009: Rail['observe'];
  /** The `observe` of the Solana `exact` rail. */
  readonly observeExactSvm: Rail['observe'];
  /** The `observe` of the rails that send a transfer of their own. */
  readonly observeTransferSvm: Rail['observe'];
  readonly observeTransferEvm: Rail['observe'];
  /** What became of the money in an account that was made for one payment; `final` as in {@link Rail.observe}. Never throws. */
  observeEscrow(watched: WatchedEscrow, signal: AbortSignal): Promise<EscrowSight>;
  readonly solanaAccounts: SolanaAccounts;
  /** What came of a Solana transaction of one's own, whatever it does (I5). Never throws. */
  observeSolana(network: NetworkId, track: Track, signal: AbortSignal): Promise<Observation>;
  /** Hands a signed Solana transaction (base64) to the network. Sending the same bytes twice is one transaction. Throws `CHAIN_UNREACHABLE`. */
  sendSolana(network: NetworkId, wire: string, signal: AbortSignal): Promise<void>;
  /** True where a contract lies at an address of an `eip155` network, or what belongs to a program at one of Solana. An account that delegates to a contract by EIP-7702 is a wallet. Throws `CHAIN_UNREACHABLE`. */
  isContract(network: NetworkId, address: string, signal: AbortSignal): Promise<boolean>;
  /** Sending transactions of one's own on `eip155` networks. */
  readonly evmTransactions: EvmTransactions;
  /**
   * Balances of many accounts on one network with as few requests as that takes, each server within two seconds; undefined for a token that no
   * server shows. Throws `CHAIN_UNREACHABLE`.
   */
  balances(network: NetworkId, wanted: readonly { readonly asset: Asset; readonly owner: string }[]): Promise<readonly (BaseUnits | undefined)[]>;
  /** Closes idle connections. */
  close(): void;
}

/** Opens nothing yet: connections are made when first asked. Throws `INPUT_INVALID` for an RPC address that is not http(s). */
export function createChains({ networks, real, delegatedFrom = () => undefined, timeoutMs = 5_000, log }: ChainsOptions): Chains {
  const ids = Object.keys(networks) as NetworkId[];
  const pools = new Map<NetworkId, Pool>(
    ids.map((network) => {
      const endpoints = (networks[network]?.rpcUrls ?? []).map((url) => identified(createEndpoint(url, timeoutMs), network));
      return [network, createPool({ network, endpoints, witnesses: real(network) ? WITNESSES : 1, log })];
    }),
  );
  const pool = (network: NetworkId): Pool => {
    const found = pools.get(network);
    if (!found) throw new BursarError('NETWORK_UNSUPPORTED', `The network ${network} is not enabled.`);
    return found;
  };
  const lookAtExactSvm = createExactSvmLook();

  const solanaAccounts = createSolanaAccounts(pool);

  async function readBalance(asset: Asset, owner: string, signal: AbortSignal): Promise<BaseUnits> {
    const ask = async (read: (endpoint: Endpoint) => Promise<bigint>) => baseUnits(await pool(asset.network).first(read));
    if (asset.network.startsWith('eip155:')) {
      return ask((endpoint) => (isCoin({ asset: asset.address }) ? readEvmCoin(endpoint, owner, signal) : readEvmBalance(endpoint, asset.address, owner, signal)));
    }
    if (isCoin({ asset: asset.address })) return ask((endpoint) => readLamports(endpoint, owner, signal));
    const from = delegatedFrom(owner);
    const account = await tokenAccountOf(from ?? owner, asset);
    if (from !== undefined) return baseUnits(await solanaAccounts.spendable(asset.network, { tokenAccount: account, by: owner }, signal));
    return ask((endpoint) => readTokenAmount(endpoint, account, signal));
  }

  async function balanceAt({ asset, owner }: { readonly asset: Asset; readonly owner: string }): Promise<BalanceAt> {
    if (isCoin({ asset: asset.address })) return { account: owner };
    return { account: await tokenAccountOf(delegatedFrom(owner) ?? owner, asset), by: owner };
  }

  return {
    networks: () => ids,
    balance: createBalanceCache(readBalance),
    latestBlockhash: (network, signal) => pool(network).first((endpoint) => readLatestBlockhash(endpoint, signal)),
    observeEip3009: (terms, track, signal) => observe(terms.network, (network) => network.observe((endpoint) => lookAtEip3009(endpoint, terms, track, signal, { confirmations: networks[terms.network]?.confirmations }))),
    observeExactSvm: (terms, track, signal) => observe(terms.network, (network) => network.observe((endpoint) => lookAtExactSvm(endpoint, track, signal))),
    observeSolana,
    observeTransferSvm: (terms, track, signal) => observeSolana(terms.network, track, signal),
    observeTransferEvm: (terms, track, signal) => observe(terms.network, (network) => network.observe((endpoint) => lookAtTransferEvm(endpoint, terms, track, signal, networks[terms.network]?.confirmations))),
    async observeEscrow(watched, signal) {
      const { network } = watched.asset;
      const sights = new Map<string, EscrowSight>();
      const seen = await observe(network, (asked) =>
        asked.observe(async (endpoint) => {
          const sight = await lookAtEscrow(endpoint, watched, { confirmations: networks[network]?.confirmations }, signal);
          if (sight.state === 'moved') sights.set(sight.transaction, sight);
          if (sight.state === 'there') sights.set('', sight);
          return sight.state === 'moved' ? { state: 'settled', transaction: sight.transaction, final: sight.final } : { state: 'open', why: sight.state === 'there' ? '' : sight.why };
        }),
      );
      if (seen.state === 'unreachable') return seen;
      if (seen.state !== 'settled') return (seen.state === 'open' && seen.why === '' && sights.get('')) || { state: 'unclear', why: seen.why };
      const sight = sights.get(seen.transaction);
      return sight?.state === 'moved' ? { ...sight, final: seen.final } : { state: 'unclear', why: '' };
    },
    solanaAccounts,
    async sendSolana(network, wire, signal) {
      const config = { encoding: 'base64', preflightCommitment: 'confirmed', maxRetries: 0 };
      await pool(network).first((endpoint) => endpoint.ask('sendTransaction', [wire, config], z.string(), signal));
    },
    async balances(network, wanted) {
      const read = await pool(network).first(async (endpoint): Promise<readonly (bigint | undefined)[]> => {
        const signal = AbortSignal.timeout(BALANCES_LIMIT_MS);
        if (network.startsWith('eip155:')) return endpoint.askAll(wanted.map(({ asset, owner }) => balanceQuestion(isCoin({ asset: asset.address }) ? undefined : asset.address, owner)), signal);
        return readBalancesAt(endpoint, await Promise.all(wanted.map(balanceAt)), signal);
      });
      return read.map((units) => (units === undefined ? undefined : baseUnits(units)));
    },
    isContract: async (network, account, signal) => {
      if (network.startsWith('solana:')) return ![undefined, SYSTEM_PROGRAM].includes(await solanaAccounts.programOf(network, account, signal));
      const code = await pool(network).first((endpoint) => readEvmCode(endpoint, account, signal));
      return code !== '0x' && !code.startsWith('0xef0100');
    },
    evmTransactions: createEvmTransactions(pool),
    close() {
      for (const open of pools.values()) open.close();
    },
  };

  function observeSolana(network: NetworkId, track: Track, signal: AbortSignal): Promise<Observation> {
    return observe(network, (found) => found.observe((endpoint) => lookAtTransferSvm(endpoint, track, signal)));
  }

  async function observe(network: NetworkId, look: (pool: Pool) => ReturnType<Rail['observe']>): ReturnType<Rail['observe']> {
    const found = pools.get(network);
    return found ? look(found) : { state: 'unreachable', why: `The network ${network} is not enabled.` };
  }
}
