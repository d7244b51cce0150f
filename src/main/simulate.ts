import { setImmediate } from 'node:timers/promises';
import type { Account } from '../core/ports.ts';
import { createSimulator, NOT_REPLAYED, type PastPayment } from '../core/policy/simulate.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { Simulation } from '../shared/contract/policy.ts';
import type { Policy } from '../shared/policy/policy.ts';
import { cleanText } from '../shared/text/clean-text.ts';
import { moneyView } from './rpc/payment-views.ts';

/** After this many payments everything else gets its turn. */
const AT_A_TIME = 200;

/** What a policy would have said of payments of the past, given oldest first. */
export async function simulatePolicy(policy: Policy, past: Iterable<PastPayment>, { assets, accounts }: { assets: Assets; accounts: readonly Account[] }): Promise<Simulation> {
  const assess = createSimulator(policy, assets, accounts);
  const payments: Simulation['payments'] = [];
  const counts = { allow: 0, ask: 0, deny: 0 };
  for (const entry of past) {
    const { payment } = entry;
    const { terms } = payment;
    if (!terms) continue;
    const { verdict, rule } = assess({ ...entry, payment: { ...payment, terms } });
    counts[verdict]++;
    const { id, createdAt, upstream, decision } = payment;
    payments.push({ id, createdAt, client: cleanText(payment.client, 80), upstream, tool: cleanText(payment.tool, 128), money: moneyView(terms, assets), verdict, rule: cleanText(rule), decision });
    if (payments.length % AT_A_TIME === 0) await setImmediate();
  }
  return { payments, counts, notReplayed: [...NOT_REPLAYED] };
}
