import type { Asset, Assets } from '../../core/registry/assets.ts';
import { assetId } from '../../shared/money/asset-id.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits, parseUnits } from '../../shared/money/money.ts';
import type { Reading } from '../adapters/balances.ts';

/** By CAIP-19 id: below so many whole tokens, all accounts together, the owner wants to be told. */
export type Thresholds = Readonly<Record<string, string>>;

export interface LowBalancePorts {
  readonly assets: Pick<Assets, 'byId'>;
  readonly thresholds: () => Thresholds;
  readonly save: (thresholds: Thresholds) => void;
  /** Called when there is another warning than before. */
  readonly changed: () => void;
}

export interface LowBalance {
  /** Takes in what the networks show. Figures that could not be read anew warn of nothing. */
  look(readings: readonly Reading[]): void;
  /** In sentences. */
  warnings(): readonly string[];
  list(): readonly { readonly asset: Asset; readonly amount: string }[];
  /** Sets a threshold, or takes it away without `amount`. Throws `ASSET_UNKNOWN`, and `AMOUNT_INVALID` for more decimals than the token has. */
  set(id: string, amount: string | undefined): void;
}

export function createLowBalance({ assets, thresholds, save, changed }: LowBalancePorts): LowBalance {
  let now: readonly string[] = [];
  let last: readonly Reading[] = [];

  const list = () =>
    Object.entries(thresholds()).flatMap(([id, amount]) => {
      const asset = assets.byId(id);
      return asset ? [{ asset, amount }] : [];
    });

  function look(readings: readonly Reading[]): void {
    last = readings;
    const next = list().flatMap(({ asset, amount }) => warningOf(asset, amount, readings.filter((one) => assetId(one.asset) === assetId(asset))));
    if (next.join('\n') === now.join('\n')) return;
    now = next;
    changed();
  }

  return {
    look,
    warnings: () => now,
    list,
    set(id, amount) {
      const asset = assets.byId(id);
      if (!asset) throw new BursarError('ASSET_UNKNOWN', `The token ${id} is neither in the registry nor trusted.`);
      if (amount !== undefined) parseUnits(amount, asset.decimals);
      const { [assetId(asset)]: _before, ...others } = thresholds();
      save(amount === undefined ? others : { ...others, [assetId(asset)]: amount });
      look(last);
    },
  };
}

function warningOf(asset: Asset, amount: string, readings: readonly Reading[]): readonly string[] {
  if (readings.length === 0 || readings.some(({ stale, units }) => stale || units === undefined)) return [];
  const held = readings.reduce((sum, { units = 0n }) => sum + units, 0n);
  if (held >= parseUnits(amount, asset.decimals)) return [];
  return [`Your accounts hold ${formatUnits(held, asset.decimals, Math.min(2, asset.decimals))} ${asset.symbol} on ${requireNetwork(asset.network).name}, less than the ${amount} ${asset.symbol} below which you want to be told.`];
}
