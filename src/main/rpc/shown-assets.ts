import { assetsOfAll } from '../../core/policy/policy-assets.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { coinAt } from '../../core/registry/coins.ts';
import type { PolicyStore } from '../adapters/store/policies.ts';

/** The tokens that pages can name: the registry's, every one that the owner trusts or once trusted, for the rows of then, and the networks' coins. */
export function createShownAssets(policies: PolicyStore): Assets {
  let known: { readonly number: number; readonly assets: Assets } | undefined;
  const now = (): Assets => {
    const { number } = policies.current();
    if (known?.number !== number) known = { number, assets: assetsOfAll(policies.versions().map(({ policy }) => policy).toReversed()) };
    return known.assets;
  };
  return {
    get list() {
      return now().list;
    },
    find: (network, address) => now().find(network, address) ?? coinAt(network, address),
    byId: (id) => now().byId(id),
  };
}
