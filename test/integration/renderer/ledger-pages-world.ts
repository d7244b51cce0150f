import type { RouteName, RouteOutput } from '../../../src/shared/contract/contract.ts';
import { PaymentStatus, type PaymentView } from '../../../src/shared/contract/payments.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { anApproval } from '../../unit/renderer/support/approval.ts';

export const { money, payee, payer } = anApproval();

/** A row of the history; each tenth has another status. */
export const aPayment = (index: number, changes: Partial<PaymentView> = {}): PaymentView => ({
  id: `pay_${index}`,
  createdAt: Date.UTC(2026, 5, 1) - index * 60_000,
  updatedAt: Date.UTC(2026, 5, 1),
  client: 'Claude Desktop',
  upstream: index % 3 === 0 ? 'weather' : 'api.example.com',
  tool: `tool_${index}`,
  dialect: 'x402-mcp',
  scheme: 'exact',
  money: { ...money, units: String(10_000 + (index % 50) * 1000) },
  payee,
  payer,
  status: index % 10 === 9 ? (PaymentStatus.options[Math.floor(index / 10) % PaymentStatus.options.length] ?? 'delivered') : 'delivered',
  columns: { decision: 'approved', money: 'settled', service: 'delivered' },
  reason: '',
  reasonCode: '',
  transaction: `0x${'ab'.repeat(32)}`,
  rule: 'Rule: allow',
  ...changes,
});

export const DETAIL: Omit<RouteOutput<'payments.detail'>, 'payment'> = {
  timeline: [
    { at: 1_780_000_000_000, kind: 'challenged', detail: 'Rule: allow' },
    { at: 1_780_000_001_000, kind: 'signed', detail: '' },
    { at: 1_780_000_004_000, kind: 'observed', detail: 'settled' },
  ],
  final: true,
  cancellation: 'none',
  disputable: true,
  offers: [],
  challengeText: '{ "x402Version": 2 }',
  fees: [{ units: '21000000000000', asset: { ...money.asset, symbol: 'ETH', decimals: 18, address: 'coin' } }],
  explorerUrl: 'https://sepolia.basescan.org/tx/0xabab',
  argumentsText: '{ "city": "Berlin" }',
  proofText: '{ "signature": "0x01" }',
  receiptText: '{ "success": true }',
  answerText: '{ "forecast": "sun" }',
};

const DAYS = Array.from({ length: 30 }, (_, index) => ({ day: new Date(Date.UTC(2026, 5, 1 + index)).toISOString().slice(0, 10), units: index % 7 === 6 ? '0' : String(((index * 37) % 23) * 150_000) }));
export const SPENDING: RouteOutput<'payments.spending'> = {
  days: DAYS,
  servers: [
    { upstream: 'weather', units: '21300000' },
    { upstream: 'api.example.com', units: '9150000' },
    { upstream: 'maps', units: '1200000' },
  ],
};

export const WAITING: RouteOutput<'approvals.waiting'>['waiting'] = [
  { ...anApproval(), paymentId: 'w1', createdAt: Date.now(), expiresAt: Date.now() + 100_000, tool: 'sky_report' },
  { ...anApproval(), paymentId: 'w2', createdAt: Date.now(), expiresAt: Date.now() + 200_000, tool: 'sun_times', client: 'Cursor', money: { ...money, units: '250000' } },
];

export const ACTIVITY: RouteOutput<'activity.list'>['entries'] = [
  { id: 'a3', at: Date.UTC(2026, 5, 3, 9), author: 'owner, dashboard', act: 'owner.unlock', subject: '', outcome: 'PASSPHRASE_WRONG' },
  { id: 'p2', at: Date.UTC(2026, 5, 2, 9), author: 'owner, dashboard', act: 'policy.version', subject: '2', outcome: '' },
  { id: 'a1', at: Date.UTC(2026, 5, 1, 9), author: 'owner, cli', act: 'backup.create', subject: '/home/ada/bursar.backup', outcome: '' },
  { id: 'p1', at: Date.UTC(2026, 5, 1, 8), author: 'Bursar', act: 'policy.version', subject: '1', outcome: '' },
];

/** What main answers where a test says nothing else: a person with a hundred thousand payments. */
export function usualAnswers(payments: () => readonly PaymentView[]): Partial<Record<RouteName, (input: Record<string, unknown>) => unknown>> {
  return {
    'app.status': () => ({ version: '0.1.0', environment: 'sandbox', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'vault', locked: false, passphraseBeside: true }, networks: [], warnings: [] }),
    'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
    'policy.get': () => ({ number: 2, savedAt: 0, author: 'owner', policy: defaultPolicy('UTC') }),
    'accounts.list': () => ({ accounts: [{ id: 'a', label: 'Main', namespace: 'eip155', address: payer, source: 'seed' }], balances: [{ accountId: 'a', asset: money.asset, balance: { ...money, units: '48250000' }, stale: false }] }),
    'approvals.waiting': () => ({ waiting: WAITING }),
    'payments.spend': () => ({ unit: 'USD', todayUnits: '3420000', dayCapUnits: '10000000', byUpstream: [{ upstream: 'weather', todayUnits: '3420000', dayCapUnits: '5000000' }] }),
    'payments.spending': () => SPENDING,
    'payments.list': ({ limit }) => ({ payments: payments().slice(0, Number(limit ?? 50)), more: false }),
    'payments.find': ({ offset, limit, filter }) => {
      const { text } = Object(filter) as { text?: string };
      const fitting = text === undefined ? payments() : payments().filter(({ tool }) => tool.includes(text));
      const start = Number(offset ?? 0);
      return { payments: fitting.slice(start, start + Number(limit ?? 100)), count: fitting.length, newest: payments().length };
    },
    'payments.totals': () => ({ tokens: [{ asset: money.asset, movedUnits: '31650000', heldUnits: '120000' }], usd: { movedUnits: '31650000', heldUnits: '120000' }, unpriced: 1 }),
    'payments.facets': () => ({ upstreams: ['weather', 'api.example.com'], tools: ['tool_1', 'tool_2'], networks: [{ network: money.asset.network, name: money.asset.networkName }] }),
    'payments.detail': ({ paymentId }) => ({ ...DETAIL, payment: payments().find(({ id }) => id === paymentId) ?? aPayment(0) }),
    'activity.list': () => ({ entries: ACTIVITY, more: false }),
    'ledger.status': () => ({ cause: 'none', canPutBack: false, findings: [], verified: true, acceptances: [] }),
    'clients.access': () => ({ clients: [], tokenUrl: '' }),
    'upstreams.list': () => ({ upstreams: [] }),
  };
}
