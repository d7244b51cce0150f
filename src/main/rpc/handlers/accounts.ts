import { randomBytes } from 'node:crypto';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Balances } from '../../adapters/balances.ts';
import type { Wallet } from '../../adapters/keys/keys.ts';
import { assetView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface AccountDeps {
  readonly wallet: Wallet;
  readonly balances: Balances;
  readonly realMoney: boolean;
  /** Called once an account was added. */
  readonly changed: () => Promise<void>;
}

export const accountHandlers = ({ wallet, balances, realMoney, changed }: AccountDeps): Pick<Handlers, 'accounts.list' | 'accounts.import' | 'accounts.addDev' | 'accounts.addStripe' | 'accounts.payFrom'> => ({
  'accounts.list': async () => ({
    accounts: [...wallet.accounts()],
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
    return account;
  },
  'accounts.addDev': async ({ label, secret }) => {
    if (realMoney) throw new BursarError('INPUT_INVALID', 'A shared secret signs what anybody who knows it can sign, so it is for play money alone.', { hint: 'Use a testnet or sandbox data folder.' });
    for (const known of wallet.accounts().filter(({ namespace }) => namespace === 'dev')) {
      const isSame = await wallet.use(known.id, (bytes) => Buffer.from(secret, 'utf8').equals(bytes));
      if (isSame) throw new BursarError('KEY_INVALID', `This secret is added already, as "${known.label}".`, { hint: 'Nothing was added.' });
    }
    const account = await wallet.addSecret({ namespace: 'dev', label, address: `dev-${randomBytes(4).toString('hex')}`, secret });
    await changed();
    return account;
  },
  'accounts.addStripe': async ({ label, stripe }) => {
    const live = stripe.publishableKey.startsWith('pk_live_');
    if (live !== realMoney) throw new BursarError('INPUT_INVALID', live ? 'This is a key of live mode, and this data folder holds play money.' : 'This is a key of test mode, and this data folder holds real money.');
    if (live && stripe.apiUrl !== undefined) throw new BursarError('INPUT_INVALID', 'A card of live mode is charged at Stripe alone.');
    const account = await wallet.addSecret({ namespace: 'stripe', label, address: stripe.paymentMethod, secret: JSON.stringify(stripe) });
    await changed();
    return account;
  },
  'accounts.payFrom': async ({ accountId, owner }) => {
    const account = wallet.payFrom(accountId, owner);
    await changed();
    return account;
  },
});
