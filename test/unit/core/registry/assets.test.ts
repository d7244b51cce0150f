import { describe, expect, test } from 'vitest';
import { DEFAULT_ASSETS as EVM_DEFAULTS } from '@x402/evm';
import { getAddress } from 'viem/utils';
import { ASSETS, findAsset } from '../../../../src/core/registry/assets.ts';
import { assetId } from '../../../../src/shared/money/asset-id.ts';
import { coinOf, isCoin } from '../../../../src/core/registry/coins.ts';
import { findNetwork, isChain, NETWORKS } from '../../../../src/core/registry/networks.ts';
import { AssetId } from '../../../../src/shared/policy/policy.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';

describe('the registry of networks and tokens', () => {
  test('a token on a network that is not known, or one that is there twice', () => {
    for (const { network } of ASSETS) expect(findNetwork(network), network).toBeDefined();
    expect(new Set(ASSETS.map((asset) => assetId(asset).toLowerCase())).size).toBe(ASSETS.length);
    expect(new Set(NETWORKS.map(({ id }) => id)).size).toBe(NETWORKS.length);
  });

  test('an EVM address without its checksum, which no comparison in a signature would pass', () => {
    for (const { address, network } of ASSETS) if (network.startsWith('eip155:')) expect(address).toBe(getAddress(address.toLowerCase()));
  });

  test('an EIP-712 domain other than the stock library’s', () => {
    let compared = 0;
    for (const [network, defaults] of Object.entries(EVM_DEFAULTS)) {
      for (const { asset, name, version, decimals } of defaults) {
        const known = findAsset(network as 'eip155:1', asset);
        if (!known) continue;
        compared += 1;
        expect(known, `${network} ${asset}`).toMatchObject({ decimals, eip712: { name, version } });
      }
    }
    expect(compared).toBeGreaterThanOrEqual(10);
  });

  test('an id that a policy cannot name', () => {
    for (const asset of ASSETS) expect(AssetId.safeParse(assetId(asset)).success, assetId(asset)).toBe(true);
  });

  test('a coin that a server could ask for as if it were a token', () => {
    for (const { id } of NETWORKS.filter((network) => isChain(network.id))) {
      const coin = coinOf(id);
      expect(findAsset(id, coin.address)).toBeUndefined();
      expect(isCoin({ asset: coin.address })).toBe(true);
    }
    expect(() => coinOf('stripe:card')).toThrow();
    try {
      coinOf('dev:mpx');
    } catch (error) {
      expect(isBursarError(error, 'NETWORK_UNSUPPORTED')).toBe(true);
    }
  });
});
