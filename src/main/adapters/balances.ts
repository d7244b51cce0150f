import type { Account, Clock } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { coinOf } from '../../core/registry/coins.ts';
import { isChain, type NetworkId } from '../../core/registry/networks.ts';
import type { BaseUnits } from '../../shared/money/money.ts';
import type { Chains } from './chain/chains.ts';

/** A page does not wait longer than this for a network; it gets the last figure, marked stale, and an event once the network has answered. */
const PATIENCE_MS = 2000;
const STALE_AFTER_MS = 60_000;
/** A figure serves for so long before the network is asked again, unless money moved. */
const FRESH_FOR_MS = 10_000;

export interface Reading {
  readonly account: Account;
  readonly asset: Asset;
  /** Absent until the network answered once. */
  readonly units?: BaseUnits;
  readonly readAt?: number;
  readonly stale: boolean;
}

/** Balances of every account in every token that may be paid on the enabled networks, and in their coins, with the last known figure where a network is silent. */
export interface Balances {
  read(): Promise<readonly Reading[]>;
  /** Money moved: the next reading asks the networks themselves. */
  expire(): void;
}

export interface BalancesPorts {
  readonly chains: () => Pick<Chains, 'networks' | 'balances'>;
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
  readonly clock: Pick<Clock, 'now'>;
  /** Called with every reading. */
  readonly seen?: (readings: readonly Reading[]) => void;
  /** Called when a network answered after a page had stopped waiting for it. */
  readonly late?: () => void;
}

interface Pair {
  readonly account: Account;
  readonly asset: Asset;
}

/** One request a network, all networks at once. */
export function createBalances({ chains, assets, accounts, clock, seen = () => {}, late = () => {} }: BalancesPorts): Balances {
  const known = new Map<string, { readonly units: BaseUnits; readonly readAt: number }>();
  const failed = new Set<string>();
  const asking = new Map<NetworkId, { readonly keys: string; readonly answer: Promise<boolean> }>();
  let expired = new Set<NetworkId>();

  const pairsOf = (network: NetworkId): readonly Pair[] =>
    accounts()
      .filter(({ namespace }) => network.startsWith(`${namespace}:`))
      .flatMap((account) => [...assets.list.filter((asset) => asset.network === network), coinOf(network)].map((asset) => ({ account, asset })));

  /** False where the network showed nothing. */
  async function ask(network: NetworkId, pairs: readonly Pair[]): Promise<boolean> {
    const readAt = clock.now();
    try {
      const units = await chains().balances(network, pairs.map(({ account, asset }) => ({ asset, owner: account.address })));
      for (const [at, pair] of pairs.entries()) {
        const value = units[at];
        if (value === undefined) failed.add(keyOf(pair));
        // A slow answer must not replace one that was asked for later.
        else if (readAt >= (known.get(keyOf(pair))?.readAt ?? 0)) {
          failed.delete(keyOf(pair));
          known.set(keyOf(pair), { units: value, readAt });
        }
      }
      return true;
    } catch {
      for (const pair of pairs) failed.add(keyOf(pair)); // said by `stale`; the chain adapter has logged why
      return false;
    }
  }

  /** Resolves when the network has answered, or when nobody should wait for it any more. */
  async function readNetwork(network: NetworkId): Promise<void> {
    const pairs = pairsOf(network);
    const keys = pairs.map(keyOf).join(' ');
    const isFresh = (pair: Pair) => !failed.has(keyOf(pair)) && clock.now() - (known.get(keyOf(pair))?.readAt ?? -Infinity) < FRESH_FOR_MS;
    // While it is being asked, another reader waits too: what is known may be from before the money moved.
    if (pairs.length === 0 || (!expired.has(network) && !asking.has(network) && pairs.every(isFresh))) return;
    const running = expired.has(network) ? undefined : asking.get(network);
    const answer = running?.keys === keys ? running.answer : ask(network, pairs);
    expired.delete(network);
    if (running?.answer !== answer) {
      asking.set(network, { keys, answer });
      void answer.finally(() => {
        if (asking.get(network)?.answer === answer) asking.delete(network);
      });
    }
    if ((await within(answer, PATIENCE_MS)) === 'late') {
      for (const pair of pairs) failed.add(keyOf(pair));
      void answer.then((shown) => shown && late());
    }
  }

  return {
    expire() {
      expired = new Set(chains().networks());
    },
    async read() {
      const networks = chains().networks().filter(isChain);
      await Promise.all(networks.map(readNetwork));
      const readings = networks.flatMap(pairsOf).map((pair): Reading => {
        const last = known.get(keyOf(pair));
        return { ...pair, ...last, stale: failed.has(keyOf(pair)) || last === undefined || clock.now() - last.readAt > STALE_AFTER_MS };
      });
      seen(readings);
      return readings;
    },
  };
}

const keyOf = ({ account, asset }: Pair): string => `${asset.network} ${asset.address} ${account.address}`;

async function within(answer: Promise<unknown>, ms: number): Promise<'answered' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  return Promise.race([answer.then(() => 'answered' as const), limit]).finally(() => clearTimeout(timer));
}
