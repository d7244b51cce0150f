import type { LookupAddress } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { BursarError } from '../../shared/errors/errors.ts';

/** Networks that are not the public internet (IANA special-purpose registries), and those that carry an IPv4 address inside. */
const RESERVED_V4 = ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'];
const RESERVED_V6 = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'];

const reserved = new BlockList();
for (const [family, networks] of [['ipv4', RESERVED_V4], ['ipv6', RESERVED_V6]] as const) {
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/');
    reserved.addSubnet(address, Number(bits), family);
  }
}

/** True for an address of the public internet. An IPv4 address that is written as IPv6 counts as what it is. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !reserved.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export const systemResolve: Resolve = (host) => resolveName(host, { all: true, verbatim: true });

const refused = (host: string, address: string) =>
  new BursarError('ADDRESS_FORBIDDEN', `The host ${host} is at ${address}, which is on this machine or in a private network.`, { context: { host, address } });

/** Throws `ADDRESS_FORBIDDEN` for an IP address that is not public. Names are checked when they are resolved. */
export function requirePublicLiteral(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublic(bare)) throw refused(host, bare);
}

/**
 * Resolves names for a connection and, unless any address will do, refuses every answer that holds an address which is not public. It is the connection's own
 * resolver, so that a name cannot have another address when it is connected to than when it was checked.
 */
export const guardedLookup = (resolve: Resolve, { anyAddress }: { readonly anyAddress: boolean }): LookupFunction => {
  /** The addresses of the wanted family; never none. */
  const find = callbackify(async (host: string, family: number | string | undefined): Promise<readonly LookupAddress[]> => {
    const found = await resolve(host);
    const hidden = anyAddress ? undefined : found.find(({ address }) => !isPublic(address));
    if (hidden) throw refused(host, hidden.address);
    const wanted = found.filter((one) => !family || family === one.family || family === `IPv${one.family}`);
    if (wanted.length === 0) throw Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' });
    return wanted;
  });
  return (host, { family, all }, callback) =>
    find(host, family, (error, found) => {
      const [first] = found ?? [];
      if (error || !first) callback(error, '');
      else if (all) callback(null, [...found]);
      else callback(null, first.address, first.family);
    });
};
