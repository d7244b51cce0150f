import { OWN_NAME } from '../../shared/text/own-name.ts';

/** Names that Bursar keeps for itself; no client and no server can take them. */
const OWNER = 'cli';
const DEFAULT_CLIENT = 'default';

/** What the owner and their agents send has no server; lists that are by server have it under this name. */
export const sendsName = 'Sends';

/** A server as lists of servers name it. */
export const serverName = (upstream: string): string => (upstream === OWN_NAME ? sendsName : upstream);

/** Whom one payment is for, where it stands in a row of its own: its server, or whom money is sent to. */
export const counterparty = ({ upstream, order }: { readonly upstream: string; readonly order?: { readonly recipient: string } | undefined }): string =>
  order ? `To ${order.recipient}` : upstream === OWN_NAME ? 'A send' : upstream;

/** Who asks, as it goes on in a sentence. */
export const askedBy = (client: string): string => `asked by ${client === OWNER ? 'you' : client === DEFAULT_CLIENT ? 'the default client' : client}`;

/** Who asks, by itself. */
export const clientName = (client: string): string => (client === OWNER ? 'You' : client === DEFAULT_CLIENT ? 'The default client' : client);
