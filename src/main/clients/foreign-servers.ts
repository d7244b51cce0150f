import type { ClientKind, ClientServer } from '../../shared/contract/clients.ts';
import type { UpstreamTransport } from '../../shared/contract/upstreams.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { ProtectionStore } from '../adapters/store/protections.ts';
import type { Upstreams } from '../upstreams.ts';
import { clientFile, isInstalled, type ClientFile } from './client-file.ts';
import { readConfigFile, textOf } from './config-file.ts';
import { isOwn, serversIn } from './config-text.ts';
import { foreignServer, shownAddress, type ForeignServer } from './foreign-server.ts';
import { freeName } from './free-name.ts';
import { createKnownServers } from './known-servers.ts';
import type { Machine } from './kinds/client-spec.ts';
import { CLIENT_SPECS, clientSpec } from './kinds/kinds.ts';

export interface ForeignServersDeps {
  readonly machine: Machine;
  readonly upstreams: Pick<Upstreams, 'list' | 'find' | 'spec' | 'add' | 'remove'>;
  readonly protections: ProtectionStore;
  /** True for what starts or reaches Bursar itself. */
  readonly isBursar: (transport: UpstreamTransport) => boolean;
}

/** A server of a client, ready to be taken. */
export interface FitServer {
  readonly file: ClientFile;
  readonly entry: unknown;
  readonly transport: UpstreamTransport;
  /** What it is or will be behind Bursar. */
  readonly upstream: string;
  /** True where Bursar has it already. */
  readonly isKnown: boolean;
}

export interface ForeignServers {
  /** Those of all clients that are installed, by client and name. */
  list(): Promise<readonly ClientServer[]>;
  view(kind: ClientKind, name: string): Promise<ClientServer>;
  /** Throws `NOT_FOUND`, `INPUT_INVALID` where Bursar cannot take it, `CLIENT_CONFIG_MALFORMED`. */
  fit(kind: ClientKind, name: string): Promise<FitServer>;
}

/** The servers that stand in clients' files and are not Bursar's. */
export function createForeignServers({ machine, upstreams, protections, isBursar }: ForeignServersDeps): ForeignServers {
  const { known } = createKnownServers(upstreams, isBursar);

  const read = (kind: ClientKind, name: string, entry: unknown): ForeignServer => {
    if (isOwn(name)) return { problem: 'It is an entry of Bursar itself.' };
    const found = foreignServer(entry, clientSpec(kind));
    return 'transport' in found && isBursar(found.transport) ? { problem: 'It is Bursar itself.' } : found;
  };
  const entriesOf = async (file: ClientFile) => serversIn(textOf(await readConfigFile(file.path)), file.shape);
  const viewOf = (kind: ClientKind, path: string, name: string, entry: unknown): ClientServer => {
    const base = { kind, client: clientSpec(kind).name, path, name };
    const protection = protections.find(kind, name);
    const isTaken = protection !== undefined && isTakenBy(entry, protection.upstream);
    const found = read(kind, name, entry);
    if (isTaken) return { ...base, address: '', secrets: [], state: 'protected', upstream: protection.upstream };
    if ('problem' in found) return { ...base, address: '', secrets: [], state: 'unfit', problem: found.problem };
    const { transport } = found;
    const upstream = known(transport);
    const secrets = Object.keys(transport.kind === 'http' ? transport.headers : transport.env);
    return { ...base, transport: transport.kind, address: shownAddress(transport), secrets, state: upstream === undefined ? 'free' : 'imported', ...(upstream !== undefined && { upstream }) };
  };
  const require = async (kind: ClientKind, name: string) => {
    const file = await clientFile(clientSpec(kind), machine);
    const entries = await entriesOf(file);
    if (!Object.hasOwn(entries, name)) throw new BursarError('NOT_FOUND', `${clientSpec(kind).name} has no server ${JSON.stringify(name)}.`, { context: { client: kind } });
    return { file, entry: entries[name] };
  };

  return {
    async list() {
      const views: ClientServer[] = [];
      for (const spec of Object.values(CLIENT_SPECS)) {
        const file = await clientFile(spec, machine);
        if (!(await isInstalled(file))) continue;
        try {
          for (const [name, entry] of Object.entries(await entriesOf(file))) if (!isOwn(name)) views.push(viewOf(spec.kind, file.path, name, entry));
        } catch (error) {
          if (!isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) throw error; // its client is listed as malformed
        }
      }
      return views;
    },
    async view(kind, name) {
      const { file, entry } = await require(kind, name);
      return viewOf(kind, file.path, name, entry);
    },
    async fit(kind, name) {
      const { file, entry } = await require(kind, name);
      const found = read(kind, name, entry);
      if ('problem' in found) throw new BursarError('INPUT_INVALID', `The server ${JSON.stringify(name)} cannot go behind Bursar. ${found.problem}`, { context: { client: kind } });
      const upstream = known(found.transport);
      return { file, entry, transport: found.transport, upstream: upstream ?? freeName(name, (candidate) => upstreams.find(candidate) !== undefined), isKnown: upstream !== undefined };
    },
  };
}

/** True for an entry that Bursar wrote in the place of that server. Its paths may be those of an earlier installation. */
export function isTakenBy(entry: unknown, upstream: string): boolean {
  const found = foreignServer(entry, {});
  if (!('transport' in found) || found.transport.kind !== 'stdio') return false;
  const { args } = found.transport;
  return args.includes('--home') && args[args.indexOf('--upstream') + 1] === upstream && args.includes('--client');
}
