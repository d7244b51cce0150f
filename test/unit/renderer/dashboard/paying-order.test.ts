import { expect, test } from 'vitest';
import { inPayingOrder, movedInOrder } from '../../../../src/renderer/dashboard/pages/wallets/paying-order.ts';
import type { AccountView } from '../../../../src/shared/contract/accounts.ts';
import { defaultPolicy, type Policy } from '../../../../src/shared/policy/policy.ts';

const account = (address: string, changes: Partial<AccountView> = {}): AccountView => ({ id: address, label: address, namespace: 'eip155', address, source: 'seed', ...changes });
const ACCOUNTS = [account('0xA'), account('0xB'), account('0xC'), account('0xW', { source: 'watch' }), account('0xH', { hidden: true })];
const naming = (...addresses: string[]): Policy => ({ ...defaultPolicy('UTC'), paying: { accounts: addresses.map((address) => ({ account: address })) } });
const orderOf = (policy: Policy) => inPayingOrder(ACCOUNTS, policy).paying.map(({ address }) => address);

test('an account that the policy names comes after one that it does not name, or is not found by its case', () => {
  expect(orderOf(naming('0xc'))).toEqual(['0xC', '0xA', '0xB']);
  const { others, hidden } = inPayingOrder(ACCOUNTS, undefined);
  expect([others, hidden].map((list) => list.map(({ address }) => address))).toEqual([['0xW'], ['0xH']]);
});

test('a move goes past an account that is not seen, or leaves the others in another order', () => {
  const policy = naming('0xA', '0xH', '0xGone', '0xB');
  const moved = movedInOrder(ACCOUNTS, policy, account('0xB'), -1);
  expect(moved.paying?.accounts?.map((entry) => entry.account)).toEqual(['0xB', '0xH', '0xGone', '0xA', '0xC']);
  expect(orderOf(moved)).toEqual(['0xB', '0xA', '0xC']);
});

test('the first account moves earlier, the last later, or one that never pays moves at all', () => {
  const policy = naming('0xA', '0xB', '0xC');
  for (const [address, by] of [['0xA', -1], ['0xC', 1], ['0xW', 1]] as const) expect(movedInOrder(ACCOUNTS, policy, account(address), by)).toBe(policy);
});
