import { assetId } from '../../../../shared/money/asset-id.ts';
import { useRead } from '../../server-state.tsx';

/** What there is to choose from; all of it may be typed otherwise. */
export interface Suggestions {
  readonly servers: readonly string[];
  readonly clients: readonly string[];
  readonly accounts: readonly string[];
  readonly networks: readonly { readonly id: string; readonly name: string }[];
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
  /** A token as people read it: `USDC on Base`, or its id. */
  readonly nameOf: (asset: string) => string;
}

/** What this wallet knows of servers, clients, accounts, networks and tokens. */
export function useSuggestions(): Suggestions {
  const servers = useRead('upstreams.list', {}).data?.upstreams.map(({ name }) => name) ?? [];
  const clients = useRead('clients.access', {}).data?.clients.map(({ name }) => name) ?? [];
  const { accounts = [], balances = [] } = useRead('accounts.list', {}).data ?? {};
  const assets = new Map(balances.map(({ asset }) => [assetId(asset), `${asset.symbol} on ${asset.networkName}`]));
  const networks = new Map(balances.map(({ asset }) => [asset.network, asset.networkName]));
  const entries = (map: ReadonlyMap<string, string>) => [...map].map(([id, name]) => ({ id, name }));
  return { servers, clients, accounts: accounts.map(({ address }) => address), networks: entries(networks), tokens: entries(assets), nameOf: (asset) => assets.get(asset) ?? asset };
}

interface ListsProps {
  readonly id: string;
  readonly from: Suggestions;
}

/** The lists of suggestions of a page; a field names one as `${id}-servers` and so on. */
export function SuggestionLists({ id, from: { servers, clients, accounts, networks, tokens } }: ListsProps) {
  const plain = { servers, clients, accounts };
  return (
    <>
      {Object.entries(plain).map(([kind, values]) => (
        <datalist key={kind} id={`${id}-${kind}`}>
          {values.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      ))}
      {Object.entries({ networks, tokens }).map(([kind, values]) => (
        <datalist key={kind} id={`${id}-${kind}`}>
          {values.map(({ id: value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </datalist>
      ))}
    </>
  );
}
