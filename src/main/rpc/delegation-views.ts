import type { Account } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { coinOf } from '../../core/registry/coins.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import type { DelegationAct, DelegationQuote, DelegationView } from '../../shared/contract/delegations.ts';
import type { RequestView } from '../../shared/contract/requests.ts';
import type { MoneyView } from '../../shared/contract/values.ts';
import { baseUnits, formatUnits, parseUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { StoredDelegation } from '../adapters/store/delegations.ts';
import type { StoredRequest } from '../adapters/store/requests.ts';
import type { Draft } from '../wallet/delegation-quote.ts';
import type { Quote } from '../wallet/delegations.ts';
import type { DelegationFacts } from '../wallet/list-delegations.ts';
import { assetView, moneyView } from './payment-views.ts';

const money = (asset: Asset, units: bigint): MoneyView => ({ asset: assetView(asset), units: units.toString() });
const labelOf = (accounts: readonly Account[], of: string): string => accounts.find(({ namespace, address }) => namespace === 'solana' && address === of)?.label ?? '';

export const draftView = ({ kind, terms, asset, before, warnings }: Draft, accounts: readonly Account[]): Omit<DelegationQuote, 'act' | 'expiresAt' | 'fee'> => ({
  kind,
  money: money(asset, terms.amount),
  tokenAccount: before.tokenAccount,
  owner: terms.owner,
  ownerLabel: labelOf(accounts, terms.owner),
  delegate: terms.delegate,
  delegateLabel: labelOf(accounts, terms.delegate),
  balance: money(asset, before.balance),
  ...(before.delegate !== '' && before.amount > 0n && { replaces: { delegate: before.delegate, money: money(asset, before.amount) } }),
  warnings: [...warnings],
});

export const quoteView = (quote: Quote, accounts: readonly Account[]): DelegationQuote => ({
  ...draftView(quote, accounts),
  act: quote.act,
  expiresAt: quote.expiresAt,
  fee: money(coinOf(quote.asset.network), quote.fee),
});

export const delegationView = ({ asset, remaining, approved, balance, ...facts }: DelegationFacts, accounts: readonly Account[]): DelegationView => ({
  ...facts,
  ownerLabel: labelOf(accounts, facts.owner),
  delegateLabel: labelOf(accounts, facts.delegate),
  remaining: money(asset, remaining),
  ...(approved !== undefined && { approved: money(asset, approved) }),
  balance: money(asset, balance),
  pays: accounts.some(({ address, delegatedFrom }) => address === facts.delegate && delegatedFrom === facts.owner),
});

export const actView = ({ act, kind, network, asset, amount, owner, delegate, state, why, transaction, createdAt }: StoredDelegation, assets: Assets): DelegationAct => ({
  act,
  kind,
  money: moneyView({ network, asset, amount: baseUnits(amount) }, assets),
  owner,
  delegate,
  state,
  why: cleanText(why, 500),
  transaction,
  createdAt,
});

export function requestView(request: StoredRequest, { granted, assets }: { readonly granted: boolean; readonly assets: Assets }): RequestView {
  const { id, client, kind, params, state, outcome, createdAt, expiresAt } = request;
  const asset = assets.list.find(({ network, address }) => network === params.network && address === params.asset);
  const units = asset && params.amount !== '' ? parseUnits(params.amount, asset.decimals) : undefined;
  return {
    id,
    client: cleanText(client, 80),
    granted,
    kind,
    text: textOf(request, asset && units !== undefined ? `${formatUnits(units, asset.decimals, 2)} ${asset.symbol} on ${requireNetwork(asset.network).name}` : ''),
    reason: cleanText(params.reason, 200),
    ...(asset && units !== undefined && { money: money(asset, units) }),
    network: params.network,
    asset: params.asset,
    owner: params.owner,
    delegate: params.delegate,
    state,
    outcome,
    createdAt,
    expiresAt,
  };
}

/** What is asked, in words of Bursar's alone. */
function textOf({ kind, params: { delegate } }: StoredRequest, sum: string): string {
  if (kind === 'setup') return sum === '' ? 'Make an account that pays for agents.' : `Make an account that pays for agents, and let it spend ${sum} of yours.`;
  return kind === 'approve' ? `Let the account ${delegate} spend ${sum}, in place of what it may spend now.` : `Take back what ${delegate} may still spend of yours.`;
}
