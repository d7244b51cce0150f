import type { ApprovalView } from '../../../../src/shared/contract/approvals.ts';

/** An approval as main sends it, with changes. */
export const anApproval = (changes: Partial<ApprovalView> = {}): ApprovalView => ({
  paymentId: 'pay_1',
  termsDigest: 'digest-1',
  nonce: 'nonce-1',
  createdAt: 1_000,
  expiresAt: 10_000_000_000_000,
  client: 'Claude Desktop',
  upstream: 'demo',
  upstreamAddress: 'http://127.0.0.1:4021/mcp',
  tool: 'weather_report',
  argumentsText: '{\n  "city": "Lisbon"\n}',
  description: 'A weather report.',
  resource: 'mcp://tool/weather_report',
  money: { units: '10000', asset: { network: 'eip155:84532', networkName: 'Base Sepolia', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC', decimals: 6 } },
  payee: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  payer: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  payerLabel: 'Main',
  dialect: 'x402 v2',
  flow: 'authorize',
  rule: 'Everything asks',
  budgets: [{ label: 'All servers, today', window: 'day', unit: 'USD', usedUnits: '3420000', thisUnits: '10000', limitUnits: '10000000' }],
  locked: false,
  ...changes,
});
