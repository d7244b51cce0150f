import type { Asset } from './assets.ts';

/** What is paid without a chain: the "address" is the currency code in lower case. */
export const CURRENCIES: readonly Asset[] = [
  { network: 'dev:mpx', address: 'usd', symbol: 'USD', name: 'Play US dollar', decimals: 2, pegged: 'USD' },
  { network: 'dev:mpx', address: 'eur', symbol: 'EUR', name: 'Play euro', decimals: 2 },
  { network: 'dev:mpx', address: 'usdc', symbol: 'USDC', name: 'Play USD Coin', decimals: 6, pegged: 'USD' },
  { network: 'stripe:card', address: 'usd', symbol: 'USD', name: 'US dollar', decimals: 2, pegged: 'USD' },
  { network: 'stripe:card', address: 'eur', symbol: 'EUR', name: 'Euro', decimals: 2 },
  { network: 'stripe:card', address: 'gbp', symbol: 'GBP', name: 'Pound sterling', decimals: 2 },
];
