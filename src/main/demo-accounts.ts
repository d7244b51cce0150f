import type { Sandbox } from './adapters/sandbox.ts';
import type { Wallet } from './adapters/keys/keys.ts';

/** One of the card service's test cards. */
const TEST_CARD = 'pm_card_visa';

/** Adds what the demo server's other ways to pay want beside play money on chains: the secret that it shares, and a test card. */
export async function addDemoAccounts(wallet: Wallet, { seller, card }: Pick<Sandbox, 'seller' | 'card'>): Promise<void> {
  if (wallet.locked) return;
  const lacks = (namespace: string) => !wallet.allAccounts().some((account) => account.namespace === namespace);
  if (lacks('dev')) await wallet.addSecret({ namespace: 'dev', label: 'Demo secret', address: 'dev-demo', secret: seller.devSecret });
  if (lacks('stripe')) {
    const secret = JSON.stringify({ publishableKey: card.publishableKey, paymentMethod: TEST_CARD });
    await wallet.addSecret({ namespace: 'stripe', label: 'Demo card', address: TEST_CARD, secret });
  }
}
