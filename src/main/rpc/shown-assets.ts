import { assetsOfAll } from '../../core/policy/policy-assets.ts';
import type { Assets } from '../../core/registry/assets.ts';
import type { PolicyStore } from '../adapters/store/policies.ts';

/** The tokens that pages can name: the registry's, and every one that the owner trusts or once trusted, for the rows of then. */
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
    find: (...wanted) => now().find(...wanted),
    byId: (id) => now().byId(id),
  };
}
