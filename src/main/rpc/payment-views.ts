import { paymentStatus } from '../../core/payments/status.ts';
import type { Waiting } from '../../core/payments/approvals.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { decimalsOfUnit, unitName } from '../../core/policy/units.ts';
import { findNetwork, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { offersOfText } from '../../core/payments/considered.ts';
import type { ApprovalView, WaitingView } from '../../shared/contract/approvals.ts';
import type { OfferView, PaymentView } from '../../shared/contract/payments.ts';
import type { AssetView, MoneyView } from '../../shared/contract/values.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';

/** What pages are told of a token. */
export const assetView = (asset: Asset): AssetView => ({
  network: asset.network,
  networkName: requireNetwork(asset.network).name,
  address: asset.address,
  symbol: asset.symbol,
  decimals: asset.decimals,
});

/** The amount of a payment's terms. `assets` knows every token that a row was ever made with. */
export function moneyView({ network, asset: address, amount }: Pick<Terms, 'network' | 'asset' | 'amount'>, assets: Assets): MoneyView {
  const asset = assets.find(network, address);
  if (!asset) throw new BursarError('ASSET_UNKNOWN', `The token ${address} is not known.`);
  return { asset: assetView(asset), units: amount.toString() };
}

/** A row of the history. */
export const paymentView = (payment: Payment, assets: Assets): PaymentView => ({
  id: payment.id,
  createdAt: payment.createdAt,
  updatedAt: payment.updatedAt,
  client: cleanText(payment.client, 80),
  upstream: payment.upstream,
  tool: cleanText(payment.tool, 128),
  dialect: payment.dialect,
  scheme: payment.terms?.scheme ?? '',
  ...(payment.terms && { money: moneyView(payment.terms, assets), flow: payment.terms.flow }),
  payee: payment.terms?.payee ?? '',
  payer: payment.terms?.payer ?? '',
  status: paymentStatus(payment),
  columns: { decision: payment.decision, money: payment.money, service: payment.service },
  reason: cleanText(payment.reason.text),
  reasonCode: payment.reason.code,
  transaction: payment.transaction,
  rule: cleanText(payment.rule),
});

/** Every way to pay that a server offered. All but the reasons are its words. */
export const offerViews = ({ offersText }: Payment, assets: Assets): OfferView[] =>
  offersOfText(offersText).map(({ scheme, network, asset, amount, payee, taken, why }) => {
    const known = assets.find(network as NetworkId, asset);
    return {
      scheme: cleanText(scheme, 64),
      networkName: findNetwork(network)?.name ?? cleanText(network, 80),
      ...(known && { money: { asset: assetView(known), units: amount } }),
      units: cleanText(amount, 80),
      asset: cleanText(asset, 128),
      payee: cleanText(payee, 128),
      taken,
      why: cleanText(why, 300),
    };
  });

/** What a dashboard may know of a request that waits. */
export function waitingView({ payment, expiresAt }: Waiting, assets: Assets): WaitingView {
  return {
    paymentId: payment.id,
    createdAt: payment.createdAt,
    expiresAt,
    client: cleanText(payment.client, 80),
    upstream: payment.upstream,
    tool: cleanText(payment.tool, 128),
    money: moneyView(requireTerms(payment), assets),
  };
}

/** A request in full, for the approval surface. */
export function approvalView(waiting: Waiting, known: { upstreamAddress: string; payerLabel: string; locked: boolean }, assets: Assets): ApprovalView {
  const { payment, challenge, assessment, fees, nonce } = waiting;
  const terms = requireTerms(payment);
  return {
    ...waitingView(waiting, assets),
    ...known,
    termsDigest: payment.termsDigest,
    nonce,
    argumentsText: cleanText(indented(payment.argumentsText), 20_000),
    description: cleanText(memoWords(terms) + feePayerWords(payment.offerText) + challenge.description, 800),
    resource: cleanText(challenge.resource, 2048),
    fees: fees.map(({ asset, units }) => ({ asset: assetView(asset), units: units.toString() })),
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
      unit: unitName(line.unit, assets),
      decimals: decimalsOfUnit(line.unit, assets) ?? 0,
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

/** A memo that the server chose stands in what is signed, so the owner reads it too (I2). */
const memoWords = ({ memo }: Terms): string => (memo === undefined ? '' : `Signed with the memo "${memo.slice(0, 256)}". `);

/** Whoever the server names to pay the network's fee signs the whole transaction after the owner (x402 `exact` on Solana, `extra.feePayer`). */
function feePayerWords(offerText: string): string {
  const { extra } = JSON.parse(offerText) as { readonly extra?: { readonly feePayer?: unknown } };
  return typeof extra?.feePayer === 'string' ? `The network's fee is paid by ${extra.feePayer.slice(0, 64)}. ` : '';
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
