import { expect, test } from 'vitest';
import type { Choice } from '../../../src/core/payments/choose-offer.ts';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { costSoon } from '../../../src/main/wallet-tools/cost-words.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { USDC } from '../../support/payment-world.ts';

const asset = REGISTERED.find('eip155:84532', USDC)!;
const choice = { terms: { amount: baseUnits(10_000n), network: asset.network }, asset, fees: [] } as unknown as Choice;
const WORDS = 'It would send 0.01 USDC on Base Sepolia. ';

test('I9: an agent that has to come back hears of it only once a chain that is silent said what it would cost', async () => {
  const gone = new AbortController();
  expect(await costSoon(async () => ({ choice, type: 'direct' }), gone.signal)).toBe(WORDS);
  let told: AbortSignal | undefined;
  const silent = (signal: AbortSignal): Promise<never> => {
    told = signal;
    return new Promise(() => {});
  };
  expect(await costSoon(silent, gone.signal, 20)).toBe('');
  expect(told?.aborted).toBe(true);
  expect(await costSoon(() => Promise.reject(new Error('unreachable')), gone.signal)).toBe('');
  gone.abort();
  expect(await costSoon(silent, gone.signal)).toBe('');
});
