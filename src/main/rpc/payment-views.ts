import { paymentStatus } from '../../core/payments/status.ts';
import type { Waiting } from '../../core/payments/approvals.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { findAsset } from '../../core/registry/assets.ts';
import { decimalsOfUnit, unitName } from '../../core/policy/units.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import type { ApprovalView, WaitingView } from '../../shared/contract/approvals.ts';
import type { PaymentView } from '../../shared/contract/payments.ts';
import type { AssetView, MoneyView } from '../../shared/contract/values.ts';
import type { Asset } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { cleanText } from './clean-text.ts';

/** What pages are told of a token. */
export const assetView = (asset: Asset): AssetView => ({
  network: asset.network,
  networkName: requireNetwork(asset.network).name,
  address: asset.address,
  symbol: asset.symbol,
  decimals: asset.decimals,
});

/** The amount of a payment's terms. Its token was in the registry when the row was made, and registry entries are never removed. */
export function moneyView({ network, asset: address, amount }: Pick<Terms, 'network' | 'asset' | 'amount'>): MoneyView {
  const asset = findAsset(network, address);
  if (!asset) throw new BursarError('ASSET_UNKNOWN', `The token ${address} is not in the registry.`);
  return { asset: assetView(asset), units: amount.toString() };
}

/** A row of the history. */
export const paymentView = (payment: Payment): PaymentView => ({
  id: payment.id,
  createdAt: payment.createdAt,
  updatedAt: payment.updatedAt,
  client: cleanText(payment.client, 80),
  upstream: payment.upstream,
  tool: cleanText(payment.tool, 128),
  dialect: payment.dialect,
  scheme: payment.terms?.scheme ?? '',
  ...(payment.terms && { money: moneyView(payment.terms), flow: payment.terms.flow }),
  payee: payment.terms?.payee ?? '',
  payer: payment.terms?.payer ?? '',
  status: paymentStatus(payment),
  columns: { decision: payment.decision, money: payment.money, service: payment.service },
  reason: cleanText(payment.reason.text),
  reasonCode: payment.reason.code,
  transaction: payment.transaction,
  rule: cleanText(payment.rule),
});

/** What a dashboard may know of a request that waits. */
export function waitingView({ payment, expiresAt }: Waiting): WaitingView {
  return {
    paymentId: payment.id,
    createdAt: payment.createdAt,
    expiresAt,
    client: cleanText(payment.client, 80),
    upstream: payment.upstream,
    tool: cleanText(payment.tool, 128),
    money: moneyView(requireTerms(payment)),
  };
}

/** A request in full, for the approval surface. */
export function approvalView(waiting: Waiting, known: { upstreamAddress: string; payerLabel: string; locked: boolean }): ApprovalView {
  const { payment, challenge, assessment, nonce } = waiting;
  const terms = requireTerms(payment);
  return {
    ...waitingView(waiting),
    ...known,
    termsDigest: payment.termsDigest,
    nonce,
    argumentsText: cleanText(indented(payment.argumentsText), 20_000),
    description: cleanText(memoWords(payment.offerText) + challenge.description, 800),
    resource: cleanText(challenge.resource, 2048),
    payee: terms.payee,
    payer: terms.payer,
    dialect: payment.dialect,
    flow: terms.flow,
    rule: cleanText(assessment.rule),
    changes: assessment.changes.map((change) => ({ ...change })),
    origins: assessment.origins.map(({ what, value, where }) => ({ what, value: cleanText(value, 300), where: cleanText(where, 300) })),
    ...(assessment.use.usd !== undefined && { usdUnits: assessment.use.usd.toString() }),
    budgets: assessment.budgets.map((line) => ({
      label: cleanText(line.label),
      unit: unitName(line.unit),
      decimals: decimalsOfUnit(line.unit) ?? 0,
      usedUnits: line.used.toString(),
      thisUnits: line.units.toString(),
      limitUnits: line.limit.toString(),
    })),
  };
}

function requireTerms(payment: Payment): Terms {
  if (!payment.terms) throw new BursarError('INTERNAL', `Payment ${payment.id} waits without terms.`);
  return payment.terms;
}

/** A memo that the server chose stands in what is signed (x402 `exact` on Solana, `extra.memo`), so the owner reads it too (I2). */
function memoWords(offerText: string): string {
  const { extra } = JSON.parse(offerText) as { readonly extra?: { readonly memo?: unknown } };
  return typeof extra?.memo === 'string' ? `Signed with the memo "${extra.memo.slice(0, 256)}". ` : '';
}

/** Indented for reading; as it came where parsing would round a long number or the text is not JSON. */
function indented(text: string): string {
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
