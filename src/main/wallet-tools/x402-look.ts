import { z } from 'zod';
import type { Payment } from '../../core/payments/payment.ts';
import { paymentStatus } from '../../core/payments/status.ts';
import { findNetwork } from '../../core/registry/networks.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { Balances } from '../adapters/balances.ts';
import type { ClientPayments } from '../adapters/store/client-payments.ts';
import { agentError } from './agent-errors.ts';
import { defineTool, type WalletTool } from './define-tool.ts';
import { IgnoredInput } from './x402-pay.ts';

export interface LookToolsDeps {
  readonly balances: Pick<Balances, 'read'>;
  readonly payments: ClientPayments;
  readonly assets: Pick<Assets, 'find'>;
}

const BalancesOutput = z.strictObject({
  status: z.literal('success'),
  agentAddress: z.string().describe('The account that is asked to pay first; empty where there is none.'),
  balances: z.array(
    z.strictObject({
      address: z.string(),
      network: z.string().describe('CAIP-2 id.'),
      networkName: z.string(),
      tokenMint: z.string().describe('Token contract or mint.'),
      token: z.string(),
      amount: z.string().describe('In whole tokens, as a decimal number; empty where the network never answered.'),
      units: z.string().describe('In the token\'s smallest units; empty where the network never answered.'),
      stale: z.boolean().describe('True where the network did not answer now, and this is what it said last.'),
    }),
  ),
});

const HistoryOutput = z.strictObject({
  status: z.literal('success'),
  count: z.number().int(),
  transactions: z.array(
    z.strictObject({
      paymentId: z.string(),
      timestamp: z.string().describe('ISO 8601.'),
      state: z.string().describe('One word, as payment_status tells it.'),
      signature: z.string().describe('Transaction on the chain; empty until it is known.'),
      url: z.string().describe('Address of the API; for a tool of a server, the server and its tool.'),
      method: z.string().describe('HTTP method; empty for a tool of a server.'),
      amount: z.string().describe('In the token\'s smallest units.'),
      asset: z.string(),
      payTo: z.string(),
      network: z.string(),
    }),
  ),
});

/** What a client may know of money: the balances, if it was granted that, and its own payments. */
export function createLookTools({ balances, payments, assets }: LookToolsDeps): readonly WalletTool[] {
  return [
    defineTool({
      name: 'x402_check_balance',
      title: 'Balances',
      description: 'What the owner\'s paying accounts hold on each enabled network. Reads only. How much of it may be spent is for the owner\'s limits to say. passphrase is accepted and ignored: no secret belongs here.',
      scope: 'payment_context:read',
      input: z.strictObject({ tokenMint: z.string().max(128).optional().describe('Only this token: its contract or mint.'), ...IgnoredInput }),
      output: BalancesOutput,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
      failure: (error) => agentError('CHECK_FAILED', error),
      async run({ tokenMint }) {
        const read = await balances.read();
        const shown = read.filter(({ asset }) => tokenMint === undefined || asset.address.toLowerCase() === tokenMint.toLowerCase());
        const structured: z.input<typeof BalancesOutput> = {
          status: 'success',
          agentAddress: read[0]?.account.address ?? '',
          balances: shown.map(({ account, asset, units, stale }) => ({
            address: account.address,
            network: asset.network,
            networkName: findNetwork(asset.network)?.name ?? asset.network,
            tokenMint: asset.address,
            token: asset.symbol,
            amount: units === undefined ? '' : formatUnits(units, asset.decimals),
            units: units === undefined ? '' : units.toString(),
            stale,
          })),
        };
        return { kind: 'success', text: JSON.stringify(structured), structured };
      },
    }),
    defineTool({
      name: 'x402_transaction_history',
      title: 'Your payments',
      description: 'The payments that this client asked for and that were signed, newest first. Reads only; what other clients paid is not shown.',
      scope: 'payment_context:read',
      input: z.strictObject({
        limit: z.number().int().min(1).max(100).default(10).describe('How many at most.'),
        before: z.string().max(128).optional().describe('Only older ones than the payment of this transaction.'),
        url: z.string().max(500).optional().describe('Only those whose address holds this text.'),
        afterDate: z.string().max(40).optional().describe('Only those since this ISO 8601 time.'),
      }),
      output: HistoryOutput,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      failure: (error) => agentError('HISTORY_FAILED', error),
      async run({ limit, before, url, afterDate }, { client }) {
        const after = afterDate === undefined ? 0 : Date.parse(afterDate);
        if (Number.isNaN(after)) throw new BursarError('INPUT_INVALID', 'afterDate is not an ISO 8601 time.', { hint: 'Write it like 2026-01-31 or 2026-01-31T12:00:00Z.' });
        const transactions: z.input<typeof HistoryOutput>['transactions'] = [];
        for (const payment of payments(client, before)) {
          if (payment.createdAt < after || transactions.length >= limit) break;
          const line = lineOf(payment, assets);
          if (line && (url === undefined || line.url.includes(url))) transactions.push(line);
        }
        const structured: z.input<typeof HistoryOutput> = { status: 'success', count: transactions.length, transactions };
        return { kind: 'success', text: JSON.stringify(structured), structured };
      },
    }),
  ];
}

function lineOf(payment: Payment, assets: Pick<Assets, 'find'>): z.input<typeof HistoryOutput>['transactions'][number] | undefined {
  const { terms } = payment;
  if (!terms || !assets.find(terms.network, terms.asset)) return undefined;
  const { url, method } = addressOf(payment);
  return {
    paymentId: payment.id,
    timestamp: new Date(payment.createdAt).toISOString(),
    state: paymentStatus(payment),
    signature: payment.transaction,
    url,
    method,
    amount: terms.amount.toString(),
    asset: terms.asset,
    payTo: terms.payee,
    network: terms.network,
  };
}

/** A host has a dot or a port; its purchases keep method and address in their arguments. */
function addressOf({ upstream, tool, argumentsText }: Payment): { readonly url: string; readonly method: string } {
  if (/[.:]/.test(upstream)) {
    const given: unknown = JSON.parse(argumentsText);
    if (typeof given === 'object' && given !== null && 'url' in given && typeof given.url === 'string') return { url: given.url, method: tool.split(' ', 1)[0] ?? '' };
  }
  return { url: cleanText(`${upstream}/${tool}`, 200), method: '' };
}
