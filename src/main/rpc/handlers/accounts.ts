import { randomBytes } from 'node:crypto';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Balances } from '../../adapters/balances.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { coinOf } from '../../../core/registry/coins.ts';
import { isChain, requireNetwork, type NetworkId } from '../../../core/registry/networks.ts';
import type { LowBalance } from '../../wallet/low-balance.ts';
import type { Wallet } from '../../adapters/keys/keys.ts';
import { assetView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface AccountDeps {
  readonly wallet: Wallet;
  readonly balances: Balances;
  readonly realMoney: boolean;
  readonly lowBalance: LowBalance;
  readonly assets: Pick<Assets, 'list'>;
  /** Enabled networks. */
  readonly networks: () => readonly NetworkId[];
  /** Called once the accounts are others. */
  readonly changed: () => Promise<void>;
}

type Routes =
  | 'accounts.list'
  | 'accounts.receive'
  | 'accounts.alerts'
  | 'accounts.setAlert'
  | 'accounts.import'
  | 'accounts.importMnemonic'
  | 'accounts.derive'
  | 'accounts.watch'
  | 'accounts.rename'
  | 'accounts.hide'
  | 'accounts.remove'
  | 'accounts.addDev'
  | 'accounts.addStripe'
  | 'accounts.payFrom';

export const accountHandlers = ({ wallet, balances, realMoney, lowBalance, assets, networks, changed }: AccountDeps): Pick<Handlers, Routes> => ({
  'accounts.list': async ({ all }) => ({
    accounts: wallet.allAccounts().filter(({ hidden }) => all || !hidden),
    balances: (await balances.read()).map(({ account, asset, units, readAt, stale }) => ({
      accountId: account.id,
      asset: assetView(asset),
      ...(units !== undefined && { balance: { asset: assetView(asset), units: units.toString() } }),
      ...(readAt !== undefined && { readAt }),
      stale,
    })),
  }),
  'accounts.receive': () => ({
    accounts: wallet
      .accounts()
      .filter(({ namespace }) => isChain(`${namespace}:`))
      .map(({ id, label, namespace, address }) => {
        const enabled = networks().filter((network) => network.startsWith(`${namespace}:`));
        const names = enabled.map((network) => requireNetwork(network).name);
        return {
          accountId: id,
          label,
          address,
          networks: enabled.map((network) => ({ network, name: requireNetwork(network).name, tokens: [...assets.list.filter((asset) => asset.network === network).map(({ symbol }) => symbol), coinOf(network).symbol] })),
          warning: names.length === 0 ? 'No network of this kind is enabled: send nothing here before one is.' : `Send only tokens on ${listed(names)} here. What is sent on another network may be lost.`,
        };
      }),
  }),
  'accounts.alerts': () => alertsOf(lowBalance),
  'accounts.setAlert': ({ asset, amount }) => {
    lowBalance.set(asset, amount);
    return alertsOf(lowBalance);
  },
  'accounts.import': async (request) => {
    const account = await wallet.importAccount(request);
    await changed();
    return account;
  },
  'accounts.importMnemonic': async (request) => {
    const accounts = await wallet.importMnemonic(request);
    await changed();
    return { accounts: [...accounts] };
  },
  'accounts.derive': async (request) => {
    const account = await wallet.deriveAccount(request);
    await changed();
    return account;
  },
  'accounts.watch': async (request) => {
    const account = wallet.watch(request);
    await changed();
    return account;
  },
  'accounts.rename': async ({ accountId, label }) => {
    const account = wallet.rename(accountId, label);
    await changed();
    return account;
  },
  'accounts.hide': async ({ accountId, hidden }) => {
    const account = wallet.setHidden(accountId, hidden);
    await changed();
    return account;
  },
  'accounts.remove': async (request) => {
    await wallet.remove(request);
    await changed();
    return {};
  },
  'accounts.addDev': async ({ label, secret }) => {
    if (realMoney) throw new BursarError('INPUT_INVALID', 'A shared secret signs what anybody who knows it can sign, so it is for play money alone.', { hint: 'Use a testnet or sandbox data folder.' });
    for (const known of wallet.allAccounts().filter(({ namespace }) => namespace === 'dev')) {
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

const alertsOf = (lowBalance: LowBalance) => ({ alerts: lowBalance.list().map(({ asset, amount }) => ({ asset: assetView(asset), amount })) });

/** `A`, `A and B`, `A, B and C`. */
const listed = (names: readonly string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);
