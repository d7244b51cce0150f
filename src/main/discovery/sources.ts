import type { Environment } from '../../shared/contract/app.ts';

/** Public Bazaars, by the kind of money: the one of Coinbase's facilitator, PayAI's, and that of x402.org, which lists test networks too. */
export const DEFAULT_SOURCES: Readonly<Record<Environment, readonly string[]>> = {
  sandbox: [],
  testnet: ['https://x402.org/facilitator', 'https://facilitator.payai.network'],
  mainnet: ['https://api.cdp.coinbase.com/platform/v2/x402', 'https://facilitator.payai.network'],
};
