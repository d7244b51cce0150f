import type { PaymentStatus } from '../../../src/shared/contract/payments.ts';
import type { ErrorCode } from '../../../src/shared/errors/codes.ts';
import { EVM_NETWORK, EVM_USDC, SOLANA_NETWORK, SOLANA_USDC } from '../../../src/sandbox/networks.ts';

/** A payment of the made-up past. */
export interface PastPayment {
  readonly at: number;
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly argumentsText: string;
  readonly network: typeof EVM_NETWORK | typeof SOLANA_NETWORK;
  readonly asset: string;
  readonly units: bigint;
  readonly payee: string;
  readonly outcome: Outcome;
}

/** How a payment ended: its three columns with the reason, and the events of its life. */
export interface Outcome {
  readonly decision: 'approved' | 'denied' | 'rejected' | 'expired' | 'cancelled';
  readonly money: 'none' | 'settled' | 'outstanding' | 'dead';
  readonly service: 'open' | 'delivered' | 'refused' | 'lost';
  readonly code: ErrorCode | '';
  readonly reason: string;
  readonly rule: string;
  readonly events: readonly (readonly [kind: string, detail: string])[];
}

const PAID = [['challenged', ''], ['signed', ''], ['answered', ''], ['observed', 'settled'], ['served', '']] as const;

const OUTCOMES = {
  delivered: { decision: 'approved', money: 'settled', service: 'delivered', code: '', reason: '', rule: 'Rule: small amounts', events: PAID },
  asked: { decision: 'approved', money: 'settled', service: 'delivered', code: '', reason: '', rule: 'Otherwise: ask', events: [PAID[0], ['approved', 'owner'], ...PAID.slice(1)] },
  undelivered: { decision: 'approved', money: 'settled', service: 'lost', code: 'PAID_NOT_DELIVERED', reason: 'The server took the money and ended.', rule: 'Rule: small amounts', events: [...PAID.slice(0, 2), ['observed', 'settled'], ['failed', 'no answer']] },
  notCharged: { decision: 'approved', money: 'dead', service: 'delivered', code: 'NEVER_COLLECTED', reason: 'The server answered without collecting the money.', rule: 'Rule: small amounts', events: [...PAID.slice(0, 3), ['observed', 'expired unused'], PAID[4]] },
  failed: { decision: 'approved', money: 'dead', service: 'refused', code: 'FACILITATOR_ERROR', reason: 'The facilitator did not take the payment.', rule: 'Rule: small amounts', events: [...PAID.slice(0, 2), ['failed', 'refused'], ['observed', 'expired unused']] },
  denied: { decision: 'denied', money: 'none', service: 'open', code: 'BUDGET_EXCEEDED', reason: 'It is above the most per call for this server.', rule: 'Limit: $0.50 per call', events: [['challenged', ''], ['denied', 'limit']] },
  rejected: { decision: 'rejected', money: 'none', service: 'open', code: 'APPROVAL_REJECTED', reason: 'You rejected it.', rule: 'Otherwise: ask', events: [['challenged', ''], ['rejected', 'owner']] },
  expired: { decision: 'expired', money: 'none', service: 'open', code: 'APPROVAL_EXPIRED', reason: 'Nobody answered within five minutes.', rule: 'Otherwise: ask', events: [['challenged', ''], ['expired', '']] },
  cancelled: { decision: 'cancelled', money: 'none', service: 'open', code: 'APPROVAL_CANCELLED', reason: 'The client withdrew the call.', rule: 'Otherwise: ask', events: [['challenged', ''], ['cancelled', '']] },
} as const satisfies Record<string, Outcome>;

/** What a status other than these would need is unsettled: the app would settle it while it is looked at. */
export const PAST_STATUSES: readonly PaymentStatus[] = ['delivered', 'undelivered', 'not-charged', 'failed', 'denied', 'rejected', 'expired', 'cancelled'];

interface Seller extends Pick<PastPayment, 'upstream' | 'client' | 'payee' | 'network' | 'asset'> {
  readonly tools: readonly (readonly [tool: string, units: bigint, argumentsText: string])[];
}

const SELLERS: readonly Seller[] = [
  { upstream: 'weather', client: 'Claude Desktop', payee: '0x8D4ab9B1E1Ef2B1DdA6D0b6A2C5F0c41b6A0e9C3', network: EVM_NETWORK, asset: EVM_USDC, tools: [['forecast', 20_000n, '{"city":"Lisbon","days":3}'], ['rain_radar', 50_000n, '{"latitude":38.72,"longitude":-9.14}']] },
  { upstream: 'papers', client: 'Cursor', payee: '0x2f17A3C9D2a0a8f3cEe7bB4b9e6F4C8f1C63D5b7', network: EVM_NETWORK, asset: EVM_USDC, tools: [['search_papers', 30_000n, '{"query":"soil moisture sensors"}'], ['full_text', 250_000n, '{"doi":"10.1000/182"}']] },
  { upstream: 'maps', client: 'Claude Desktop', payee: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', network: SOLANA_NETWORK, asset: SOLANA_USDC, tools: [['route', 15_000n, '{"from":"Porto","to":"Braga"}'], ['geocode', 5_000n, '{"address":"Rua Augusta 1"}']] },
  { upstream: 'translate', client: 'Claude Code', payee: '0x5c0e11D7c2B9e6D3C8b7A9f0E1d2C3b4A5968778', network: EVM_NETWORK, asset: EVM_USDC, tools: [['translate_text', 12_000n, '{"to":"pt","text":"Good morning"}']] },
  { upstream: 'demo', client: 'default', payee: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', network: EVM_NETWORK, asset: EVM_USDC, tools: [['sun_times', 10_000n, '{"latitude":52.5,"longitude":13.4}']] },
];

const DAYS = 34;
const DAY = 86_400_000;

/** Numbers that look random and are the same each time (a linear congruential generator). */
function* numbers(): Generator<number, never> {
  for (let state = 20_261_121; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Five weeks of a person with a handful of servers, oldest first and ended an hour ago; the same payments each time. */
export function pastPayments(now: number): readonly PastPayment[] {
  const random = numbers();
  const chance = (): number => random.next().value;
  const among = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] ?? list[0]!;
  const payments: Omit<PastPayment, 'outcome'>[] = [];
  for (let day = DAYS; day >= 0; day -= 1) {
    const weekend = day % 7 >= 5;
    const count = 2 + Math.floor(chance() * (weekend ? 4 : 14));
    for (let index = 0; index < count; index += 1) {
      const seller = among(chance() < 0.4 ? SELLERS.slice(0, 1) : SELLERS);
      const [tool, units, argumentsText] = among(seller.tools);
      payments.push({ at: now - day * DAY - 3_600_000 - (count - index) * 1_500_000, client: seller.client, upstream: seller.upstream, tool, argumentsText, network: seller.network, asset: seller.asset, units: units * BigInt(1 + Math.floor(chance() * 3)), payee: seller.payee });
    }
  }
  const rare = [OUTCOMES.undelivered, OUTCOMES.notCharged, OUTCOMES.failed, OUTCOMES.denied, OUTCOMES.rejected, OUTCOMES.expired, OUTCOMES.cancelled];
  return payments
    .toSorted((a, b) => a.at - b.at)
    .map((payment, index) => ({ ...payment, outcome: index % 9 === 4 ? (rare[Math.floor(index / 9) % rare.length] ?? OUTCOMES.delivered) : index % 5 === 2 ? OUTCOMES.asked : OUTCOMES.delivered }));
}
