import type { Account, Chain, Clock } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import type { BaseUnits } from '../../shared/money/money.ts';

/** A page does not wait longer than this for a network; it gets the last figure, marked stale. */
const PATIENCE_MS = 2000;
const STALE_AFTER_MS = 60_000;

export interface Reading {
  readonly account: Account;
  readonly asset: Asset;
  /** Absent until the network answered once. */
  readonly units?: BaseUnits;
  readonly readAt?: number;
  readonly stale: boolean;
}

/** Balances of every account in every token that may be paid on the enabled networks, with the last known figure where a network is silent. */
export interface Balances {
  read(): Promise<readonly Reading[]>;
  /** Money moved: the next reading asks the networks themselves. */
  expire(): void;
}

export function createBalances({ chain, assets, accounts, clock }: { chain: Chain; assets: Assets; accounts: () => readonly Account[]; clock: Clock }): Balances {
  let fresh = false;
  const known = new Map<string, { units: BaseUnits; readAt: number }>();

  async function readOne(account: Account, asset: Asset, ask: boolean): Promise<Reading> {
    const key = `${asset.network} ${asset.address} ${account.address}`;
    let failed = false;
    try {
      const units = await chain.balance(asset, account.address, { signal: AbortSignal.timeout(PATIENCE_MS), fresh: ask });
      known.set(key, { units, readAt: clock.now() });
    } catch {
      failed = true; // said by `stale`; the chain adapter has logged why
    }
    const last = known.get(key);
    return { account, asset, ...last, stale: failed || last === undefined || clock.now() - last.readAt > STALE_AFTER_MS };
  }

  return {
    expire() {
      fresh = true;
    },
    read() {
      const ask = fresh;
      fresh = false;
      const enabled = new Set(chain.networks());
      const pairs = accounts().flatMap((account) =>
        assets.list.filter((asset) => enabled.has(asset.network) && asset.network.startsWith(`${account.namespace}:`)).map((asset) => ({ account, asset })),
      );
      return Promise.all(pairs.map(({ account, asset }) => readOne(account, asset, ask)));
    },
  };
}
