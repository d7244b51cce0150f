import { isDeepStrictEqual } from 'node:util';
import type { UpstreamTransport } from '../../shared/contract/upstreams.ts';
import type { Upstreams } from '../upstreams.ts';

/** What the servers that Bursar has say of one that stands in a client's file or in a paste. */
export interface KnownServers {
  readonly isTaken: (name: string) => boolean;
  /** The server that is reached in just that way. */
  readonly known: (transport: UpstreamTransport) => string | undefined;
  /** True for what starts or reaches Bursar itself. */
  readonly isBursar: (transport: UpstreamTransport) => boolean;
}

export const createKnownServers = (upstreams: Pick<Upstreams, 'list' | 'find' | 'spec'>, isBursar: KnownServers['isBursar']): KnownServers => ({
  isTaken: (name) => upstreams.find(name) !== undefined,
  known: (transport) => upstreams.list().find(({ name }) => isDeepStrictEqual(comparable(upstreams.spec(name)?.transport), comparable(transport)))?.name,
  isBursar,
});

const comparable = (transport: object | undefined): unknown => (transport === undefined ? undefined : (JSON.parse(JSON.stringify(transport)) as unknown));
