const GROUP = 4;

/** What is no address of a chain (a card's `pm_…`, a name) is one group: gaps would spell it otherwise. */
const GROUPED = /^(0x[0-9a-fA-F]+|[1-9A-HJ-NP-Za-km-z]{32,})$/;

/**
 * Cuts an address into groups of four characters for reading; joined they are the address again, nothing is left out.
 * A leading `0x` is a group of its own.
 */
export function groupAddress(address: string): string[] {
  if (!GROUPED.test(address)) return address === '' ? [] : [address];
  const prefix = address.startsWith('0x') ? '0x' : '';
  const groups = prefix ? [prefix] : [];
  const characters = Array.from(address.slice(prefix.length));
  for (let start = 0; start < characters.length; start += GROUP) groups.push(characters.slice(start, start + GROUP).join(''));
  return groups;
}
