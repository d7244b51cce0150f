import { paymentStatus } from '../../core/payments/status.ts';
import { orderOfRow } from '../../core/challenges/order.ts';
import type { OrderFacts } from '../../core/challenges/dialect.ts';
import type { Waiting } from '../../core/payments/approvals.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { decimalsOfUnit, unitName } from '../../core/policy/units.ts';
import { findNetwork, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { offersOfText } from '../../core/payments/considered.ts';
import { isOfServer, paysUpFront, whyNotForDays } from '../../core/payments/may-stand.ts';
import { isUnverified } from '../../core/policy/unverified.ts';
import type { ApprovalFacts, ApprovalView, WaitingView } from '../../shared/contract/approvals.ts';
import type { OfferView, PaymentView } from '../../shared/contract/payments.ts';
import type { Fee } from '../../core/ports.ts';
import type { AssetView, FeeView, MoneyView } from '../../shared/contract/values.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { plainUrl } from './plain-url.ts';

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
  ...demanded(payment, assets),
  ...ordered(payment),
  status: paymentStatus(payment),
  columns: { decision: payment.decision, money: payment.money, service: payment.service },
  reason: cleanText(payment.reason.text),
  reasonCode: payment.reason.code,
  transaction: payment.transaction,
  rule: cleanText(payment.rule),
});

function ordered(payment: Payment): Pick<PaymentView, 'order'> {
  const order = orderOfRow(payment);
  return order ? { order: { recipient: cleanText(order.recipient, 200), memo: cleanText(order.memo, 800) } } : {};
}

/** The first thing that was asked for, where nothing of it could be paid. */
function demanded(payment: Payment, assets: Assets): Pick<PaymentView, 'demanded'> {
  if (payment.terms) return {};
  const first = offerViews(payment, assets).find(({ units }) => units !== '');
  if (!first) return {};
  const { money, units, asset, payee } = first;
  return { demanded: { ...(money && { money }), units, asset, payee } };
}

/** The demand as it came, to be read. */
export const demandText = ({ challengeText }: Payment): string => cleanText(indented(challengeText), 20_000);

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

/** What is known of a request that waits beside what waits. */
export interface KnownOfRequest {
  readonly upstreamAddress: string;
  readonly payerLabel: string;
  readonly contact?: { readonly number: number; readonly name: string };
  readonly firstPayment: boolean;
}

/** A request in full, to be read. */
export function approvalFacts(waiting: Waiting, { upstreamAddress, ...known }: KnownOfRequest, assets: Assets): ApprovalFacts {
  const { payment, challenge, assessment, fees } = waiting;
  const terms = requireTerms(payment);
  return {
    ...waitingView(waiting, assets),
    ...known,
    upstreamAddress: plainUrl(upstreamAddress),
    argumentsText: cleanText(indented(payment.argumentsText), 20_000),
    description: cleanText(challenge.description, 800),
    resource: cleanText(plainUrl(challenge.resource), 2048),
    ...(challenge.order && { order: orderView(challenge.order, challenge.description) }),
    memo: cleanText(terms.memo ?? '', 256),
    feePayer: cleanText(feePayerOf(payment.offerText), 64),
    cautions: [...(isUnverified(payment.client) ? (['unverified'] as const) : []), ...(challenge.textOnly ? (['plain-text'] as const) : [])],
    fees: fees.map(feeView),
    payee: terms.payee,
    payer: terms.payer,
    dialect: payment.dialect,
    flow: terms.flow,
    upfront: paysUpFront(payment.offerText),
    rule: cleanText(assessment.rule),
    changes: assessment.changes.map((change) => ({ ...change })),
    origins: assessment.origins.map(({ what, value, where }) => ({ what, value: cleanText(value, 300), where: cleanText(where, 300), own: isOfServer(where, payment.upstream) })),
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

/** The same for the approval surface, with what an answer takes. */
export const approvalView = (waiting: Waiting, { locked, ...known }: KnownOfRequest & { readonly locked: boolean }, assets: Assets): ApprovalView => ({
  ...approvalFacts(waiting, known, assets),
  termsDigest: waiting.payment.termsDigest,
  nonce: waiting.nonce,
  notForDays: whyNotForDays(waiting),
  locked,
});

/** What a payment costs besides its amount. */
export const feeView = ({ asset, units, rent }: Fee): FeeView => ({ asset: assetView(asset), units: units.toString(), ...(rent !== undefined && { rentUnits: rent.toString() }) });

const orderView = ({ recipient, byOwner, byLink, warnings }: OrderFacts, memo: string): NonNullable<ApprovalView['order']> => ({
  recipient: cleanText(recipient, 200),
  memo: cleanText(memo, 800),
  byOwner,
  ...(byLink && { byLink }),
  warnings: warnings.map((warning) => cleanText(warning, 300)),
});

function requireTerms(payment: Payment): Terms {
  if (!payment.terms) throw new BursarError('INTERNAL', `Payment ${payment.id} waits without terms.`);
  return payment.terms;
}

/** Whoever the server names to pay the network's fee signs the whole transaction after the owner (x402 `exact` on Solana, `extra.feePayer`). */
function feePayerOf(offerText: string): string {
  const { extra } = JSON.parse(offerText) as { readonly extra?: { readonly feePayer?: unknown } };
  return typeof extra?.feePayer === 'string' ? extra.feePayer : '';
}

/** Indented for reading; as it came where parsing would round a long number or the text is not JSON. */
export function indented(text: string): string {
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
