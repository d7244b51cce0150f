import type { Account } from '../../../core/ports.ts';
import type { AccountView } from '../../../shared/contract/accounts.ts';
import type { Balances } from '../../adapters/balances.ts';
import type { Wallet } from '../../adapters/keys/keys.ts';
import { assetView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface AccountDeps {
  readonly wallet: Wallet;
  readonly balances: Balances;
  /** Called once an account was added. */
  readonly changed: () => Promise<void>;
}

export const accountHandlers = ({ wallet, balances, changed }: AccountDeps): Pick<Handlers, 'accounts.list' | 'accounts.import'> => ({
  'accounts.list': async () => ({
    accounts: wallet.accounts().map(accountView),
    balances: (await balances.read()).map(({ account, asset, units, readAt, stale }) => ({
      accountId: account.id,
      asset: assetView(asset),
      ...(units !== undefined && { balance: { asset: assetView(asset), units: units.toString() } }),
      ...(readAt !== undefined && { readAt }),
      stale,
    })),
  }),
  'accounts.import': async (request) => {
    const account = await wallet.importAccount(request);
    await changed();
    return accountView(account);
  },
});

const accountView = ({ id, label, namespace, address, source }: Account): AccountView => ({ id, label, namespace, address, source });
