import { isIP } from 'node:net';
import { BursarError } from '../../shared/errors/errors.ts';
import { isPublic } from '../http-buyer/address-guard.ts';

/** Which addresses the sign-in of one server may lead to. */
export interface AddressRule {
  /** True where a host may lie on this machine or in a private network. */
  isOpen(url: URL): boolean;
  /** Throws `ADDRESS_FORBIDDEN` where nothing may be asked for at this address, `UPSTREAM_SIGN_IN_FAILED` for one that is no web address or not encrypted. */
  require(url: URL): void;
}

const LOOPBACK_V4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
const HINT = 'Nothing was sent. The owner can open the host in the policy (paying.openHosts).';

/** Does this host name this machine, by its form alone? */
function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase();
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || LOOPBACK_V4.test(bare);
}

/**
 * What a server says of its authorization is no reason to reach into the owner's network: private addresses are refused but for the server's own
 * host, hosts that the owner opened, and this machine where the server itself lies on it. All else is https, because secrets go there.
 */
export function addressRule(server: URL, isOpenHost: (url: URL) => boolean): AddressRule {
  const isOpen = (url: URL): boolean => url.hostname === server.hostname || isOpenHost(url) || (isLoopback(url.hostname) && isLoopback(server.hostname));
  return {
    isOpen,
    require(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The server names an address for its sign-in that is no web address.', { context: { scheme: url.protocol.slice(0, 40) } });
      }
      const bare = url.hostname.replace(/^\[|\]$/g, '');
      const isPrivate = isIP(bare) !== 0 ? !isPublic(bare) : isLoopback(bare);
      if (isPrivate && !isOpen(url)) {
        throw new BursarError('ADDRESS_FORBIDDEN', `The server leads its sign-in to ${url.host}, which is on this machine or in a private network.`, { hint: HINT, context: { host: url.host } });
      }
      const mayBePlain = isLoopback(url.hostname) || (url.origin === server.origin && server.protocol === 'http:');
      if (url.protocol === 'http:' && !mayBePlain) {
        throw new BursarError('UPSTREAM_SIGN_IN_FAILED', `The server leads its sign-in to ${url.host} without encryption.`, { context: { host: url.host } });
      }
    },
  };
}

/** The only addresses that a browser is sent to: https, or http on this machine; without a user name. */
export const isBrowserAddress = (url: URL): boolean => (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) && url.username === '' && url.password === '';

/** Throws `UPSTREAM_SIGN_IN_FAILED` for an address that no browser is sent to. */
export function requireBrowserAddress(url: URL): void {
  if (!isBrowserAddress(url)) throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The server wants a page opened for its sign-in that Bursar does not open.', { context: { scheme: url.protocol.slice(0, 40) } });
}
