import type { NewPayment } from '../../../src/core/payments/payment.ts';
import type { BudgetUse } from '../../../src/core/ports.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { defaultPolicy, type Cap, type Policy } from '../../../src/shared/policy/policy.ts';

export const created = { kind: 'challenged', detail: 'the server asked for money' };

const terms = {
  client: 'client-1',
  upstream: 'demo',
  tool: 'joke',
  argumentsHash: 'a'.repeat(64),
  dialect: 'x402-mcp',
  scheme: 'exact',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  amount: baseUnits(10_000n),
  payee: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  flow: 'authorize',
} as const;

export const USDC = 'eip155:84532/erc20:0x036CbD53842c5426634e7929541eC2318f3dCF7e';

/** What a payment holds; a stable coin's worth is its amount. */
export const use = (units: bigint, over: Partial<BudgetUse> = {}): BudgetUse => ({ asset: USDC, units: baseUnits(units), usd: baseUnits(units), at: 1_700_000_000_000, session: 's1', ...over });

/** A policy of these caps alone. */
export const policyOf = (...caps: readonly Cap[]): Policy => ({ ...defaultPolicy('UTC'), caps: [...caps] });

export const dayCap: Cap = { over: {}, window: 'day', unit: 'USD', amount: '10' };

/** A payment that waits for the owner with its money reserved. */
export const newPayment = (id: string, over: Partial<NewPayment> = {}): NewPayment => ({
  id,
  client: 'client-1',
  upstream: 'demo',
  tool: 'joke',
  callKey: `call-of-${id}`,
  argumentsText: '{"topic":"tea","n":9007199254740993}',
  dialect: 'x402-mcp',
  challengeText: '{"x402Version":2}',
  terms,
  termsDigest: 'd'.repeat(64),
  offerText: '{"scheme":"exact"}',
  offersText: '',
  decision: 'waiting',
  money: 'reserved',
  service: 'open',
  reason: { code: '', text: '' },
  rule: 'ask for everything',
  policyNumber: 1,
  ...over,
});
