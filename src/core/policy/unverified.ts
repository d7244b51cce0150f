/** Follows the name of a client that did not prove it with a token. No registered name ends so. */
export const UNVERIFIED = ' (unverified)';

const LONGEST = 40;

/** The name under which a client is counted and shown that only claims to be `name`: letters, digits and a few signs of it, with the mark. */
export function unverifiedName(name: string): string {
  const plain = name.replaceAll(UNVERIFIED, '').replace(/[^\p{L}\p{N} ._-]/gu, '').trim();
  return `${Array.from(plain).slice(0, LONGEST).join('') || 'client'}${UNVERIFIED}`;
}

export const isUnverified = (client: string): boolean => client.endsWith(UNVERIFIED);

/** The name that a client has or claims. */
export const claimedName = (client: string): string => (isUnverified(client) ? client.slice(0, -UNVERIFIED.length) : client);
