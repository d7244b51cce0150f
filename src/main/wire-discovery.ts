import type { Approvals } from '../core/payments/approvals.ts';
import { isCallOf } from '../core/discovery/endpoint-request.ts';
import type { Clock, Journal, Log } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { Environment } from '../shared/contract/app.ts';
import type { Balances } from './adapters/balances.ts';
import type { Home } from './adapters/home/home.ts';
import { createSchemas } from './adapters/schema-check.ts';
import { createApprovedEndpoints } from './adapters/store/approved-endpoints.ts';
import { createBazaarCache } from './adapters/store/bazaar-cache.ts';
import { createClientPayments } from './adapters/store/client-payments.ts';
import type { Db } from './adapters/store/database.ts';
import type { ServerWords } from './bridge/server-words.ts';
import { createCatalogue } from './discovery/catalogue.ts';
import { createSourceReader } from './discovery/read-source.ts';
import { DEFAULT_SOURCES } from './discovery/sources.ts';
import { systemResolve } from './http-buyer/address-guard.ts';
import type { HttpBuyer } from './http-buyer/http-buyer.ts';
import { serverNameOf } from './http-buyer/http-request.ts';
import { discoveryHandlers } from './rpc/handlers/discovery.ts';
import type { WalletTool } from './wallet-tools/define-tool.ts';
import { createEndpointTools } from './wallet-tools/endpoint-tools.ts';
import { createDiscoverTools } from './wallet-tools/x402-discover.ts';
import { createLookTools } from './wallet-tools/x402-look.ts';
import { createPayTool } from './wallet-tools/x402-pay.ts';

export interface DiscoveryPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly home: Pick<Home, 'config' | 'setBazaars'>;
  readonly environment: Environment;
  readonly realMoney: boolean;
  /** The sandbox lists what it sells. */
  readonly sandboxSource?: string;
  /** Hosts that the owner opened: they may be private and without TLS. */
  readonly isOpen: (url: URL) => boolean;
  readonly buyer: HttpBuyer;
  readonly journal: Pick<Journal, 'get'>;
  readonly assets: Assets;
  readonly networks: () => readonly string[];
  readonly balances: Pick<Balances, 'read'>;
  readonly words: ServerWords;
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  readonly clients: () => readonly string[];
  /** The tools of some clients are others now. */
  readonly toolsChanged: () => void;
  readonly changed: () => void;
}

/** Finding paid APIs, approving them, and the tools over both. */
export function wireDiscovery(ports: DiscoveryPorts) {
  const { db, clock, log, home, environment, realMoney, sandboxSource, isOpen, buyer, journal, assets, networks, balances, words, approvals, clients, toolsChanged, changed } = ports;
  const builtIn = sandboxSource === undefined ? DEFAULT_SOURCES[environment] : [sandboxSource];
  const schemas = createSchemas();
  const endpoints = createApprovedEndpoints(db, clock);
  const catalogue = createCatalogue({
    cache: createBazaarCache(db, clock),
    reader: createSourceReader({ realMoney, isOpen, resolve: systemResolve }),
    urls: () => home.config().bazaars ?? builtIn,
    clock,
    log,
    changed,
  });
  const approvedTools = createEndpointTools({ endpoints, buyer, journal, assets, networks, schemas, words });
  const tools: readonly WalletTool[] = [
    createPayTool({ buyer, journal, words }),
    ...createLookTools({ balances, payments: createClientPayments(db), assets }),
    ...createDiscoverTools({ catalogue, buyer, assets, words }),
  ];

  return {
    tools: (): readonly WalletTool[] => tools,
    approvedTools,
    handlers: discoveryHandlers({
      catalogue,
      endpoints,
      schemas,
      assets,
      networks,
      sources: {
        own: () => home.config().bazaars !== undefined,
        set: (urls) => void home.setBazaars(urls),
      },
      clients,
      changed,
      toolsChanged,
      cancelWaiting: ({ listing }) => approvals.cancelAll(({ payment }) => payment.upstream === serverNameOf(new URL(listing.url)) && isCallOf(listing, payment.tool)),
    }),
    close: () => catalogue.close(),
  };
}
