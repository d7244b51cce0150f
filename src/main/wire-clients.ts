import { homedir } from 'node:os';
import type { ClientEntries } from '../shared/contract/clients.ts';
import type { UpstreamTransport, UpstreamView } from '../shared/contract/upstreams.ts';
import type { Clock } from '../core/ports.ts';
import type { Sealer } from './adapters/keys/sealer.ts';
import type { ClientStore } from './adapters/store/clients.ts';
import type { Db } from './adapters/store/database.ts';
import type { StoredUpstream } from './adapters/store/upstreams.ts';
import { createProtections } from './adapters/store/protections.ts';
import { createClientTokens } from './clients/client-tokens.ts';
import { createForeignServers } from './clients/foreign-servers.ts';
import { createKnownServers } from './clients/known-servers.ts';
import { createServerProtections } from './clients/protection.ts';
import { clientEntries, shimEntry, type ProgramFiles } from './program-files.ts';
import { clientHandlers, type ClientDeps } from './rpc/handlers/clients.ts';
import { pasteHandlers } from './rpc/handlers/upstream-paste.ts';
import { clientServerHandlers } from './rpc/handlers/client-servers.ts';
import type { Upstreams } from './upstreams.ts';

export interface ClientWiring extends Pick<ClientDeps, 'mcpUrl' | 'httpProblem' | 'changed'> {
  readonly db: Db;
  readonly clock: Pick<Clock, 'now'>;
  readonly sealer: Sealer;
  readonly clients: ClientStore;
  readonly upstreams: Upstreams;
  readonly files: ProgramFiles;
  /** The data folder. */
  readonly home: string;
  readonly ended: (client: string) => void;
  readonly upstreamChanged: (name: string) => Promise<void>;
  readonly upstreamView: (stored: StoredUpstream) => UpstreamView;
}

/** Registration in the clients of this machine, and the servers that stand in their files. */
export function wireClients({ db, clock, sealer, clients, upstreams, upstreamView, files, home, ended, upstreamChanged, ...deps }: ClientWiring) {
  const machine = { platform: process.platform, env: process.env, home: homedir() };
  const protections = createProtections(db, clock, sealer);
  const tokens = createClientTokens({ clients, ended });
  const entries = (servers: ClientEntries, client: string, token: string) => clientEntries({ files, home, upstreams: upstreams.enabled(), servers, client, token });
  const isBursar = (transport: UpstreamTransport) =>
    transport.kind === 'http' ? deps.mcpUrl() !== '' && transport.url.startsWith(deps.mcpUrl()) : transport.args.some((word) => word === files.shim || word === files.cli);
  const servers = createForeignServers({ machine, upstreams, protections, isBursar });
  const registration = (upstream: string, client: string, token: string) => shimEntry({ files, home, client, token, upstream });
  const serverProtections = createServerProtections({ upstreams, protections, servers, tokens, registration, upstreamChanged, now: () => new Date(clock.now()) });
  return {
    ...clientHandlers({ clients, tokens, entries, machine, ...deps }),
    ...pasteHandlers({ upstreams, known: createKnownServers(upstreams, isBursar), upstreamChanged, view: upstreamView }),
    ...clientServerHandlers({ servers, protections: serverProtections, upstreams, upstreamChanged, changed: deps.changed }),
  };
}
