import type { AccountView } from '../../../../shared/contract/accounts.ts';
import type { Policy } from '../../../../shared/policy/policy.ts';

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const pays = ({ source, hidden }: AccountView): boolean => source !== 'watch' && !hidden;

type Entries = NonNullable<NonNullable<Policy['paying']>['accounts']>;

/** Every account that pays, in order: those that the policy names, then the others as they are listed. What the policy says of others stays where it is. */
function entriesOf(accounts: readonly AccountView[], policy: Policy | undefined): Entries {
  const named = policy?.paying?.accounts ?? [];
  const rest = accounts.filter((account) => pays(account) && !named.some((entry) => isSame(entry.account, account.address)));
  return [...named, ...rest.map(({ address }) => ({ account: address }))];
}

/** The most that one payment may take from an account, as the policy has it. */
export const maximumOf = ({ address }: AccountView, policy: Policy | undefined): Entries[number]['max'] => policy?.paying?.accounts?.find(({ account }) => isSame(account, address))?.max;

/** The policy with another maximum for one account, or with none. All that pay are written out, so that naming one does not put it before others that were not named. */
export function withMaximum(accounts: readonly AccountView[], policy: Policy, { address }: AccountView, max: Entries[number]['max']): Policy {
  const entries = entriesOf(accounts, policy).map((entry) => (isSame(entry.account, address) ? { account: entry.account, ...(max && { max }) } : entry));
  return { ...policy, paying: { ...policy.paying, accounts: entries } };
}

/** The accounts in three lists: those that pay, in the order in which they do; those that are only shown; hidden ones. */
export function inPayingOrder(accounts: readonly AccountView[], policy: Policy | undefined) {
  const paying = entriesOf(accounts, policy).flatMap(({ account }) => accounts.find((one) => pays(one) && isSame(one.address, account)) ?? []);
  return { paying, others: accounts.filter((account) => !account.hidden && !pays(account)), hidden: accounts.filter(({ hidden }) => hidden) };
}

/** The policy with one account a place earlier or later among those that pay. All are written out, so that naming one does not put it before others that were not named. */
export function movedInOrder(accounts: readonly AccountView[], policy: Policy, { address }: AccountView, by: -1 | 1): Policy {
  const entries = entriesOf(accounts, policy);
  const places = entries.flatMap(({ account }, index) => (accounts.some((one) => pays(one) && isSame(one.address, account)) ? [index] : []));
  const at = places.findIndex((index) => isSame(entries[index]?.account ?? '', address));
  const [from, to] = [places[at], places[at + by]];
  const [moved, other] = [entries[from ?? -1], entries[to ?? -1]];
  if (!moved || !other) return policy;
  return { ...policy, paying: { ...policy.paying, accounts: entries.map((entry) => (entry === moved ? other : entry === other ? moved : entry)) } };
}
