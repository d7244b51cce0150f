import { BursarError, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { formatUnits, parseBaseUnits } from '../../shared/money/money.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { Paying } from '../../shared/policy/policy.ts';
import type { Challenge, Offer } from '../challenges/dialect.ts';
import { unsupported } from '../challenges/unsupported.ts';
import { RawNumber } from '../json/json.ts';
import { assetOfTerms, assetsOf } from '../policy/policy-assets.ts';
import { sameAddress } from '../policy/scope.ts';
import { NO_PRICES } from '../policy/units.ts';
import type { Account, Chain, Fee, Keys, Policies, Prices, Rail } from '../ports.ts';
import type { Asset, Assets } from '../registry/assets.ts';
import { isCoin } from '../registry/coins.ts';
import { lookalikeWords } from '../registry/lookalike.ts';
import { findNetwork, type Network } from '../registry/networks.ts';
import type { CallLimit } from './call.ts';
import { consider, NoOfferError, type ConsideredOffer, type Fate } from './considered.ts';
import { aboveMaximum, inOrder, type Payable } from './offer-order.ts';
import { railFor } from './rail-of.ts';
import type { Terms } from './terms.ts';

/** An offer that can be paid, and everything that paying it takes. */
export interface Choice {
  readonly offer: Offer;
  readonly rail: Rail;
  readonly asset: Asset;
  readonly account: Account;
  readonly terms: Terms;
  /** What paying costs besides the amount, at most; frozen here and held with it (I3). */
  readonly fees: readonly Fee[];
  /** Every offer of the challenge, with why each of the others was not taken. */
  readonly considered: readonly ConsideredOffer[];
}

/** The call that the money is for. */
export type CallTerms = Pick<Terms, 'client' | 'upstream' | 'tool' | 'argumentsHash'>;

/** What is chosen from, and for what. */
export interface Choosing {
  readonly challenge: Challenge;
  readonly call: CallTerms;
  /** The most that the call may cost. */
  readonly most?: CallLimit;
}

export interface ChooseOfferPorts {
  readonly keys: Keys;
  readonly rails: readonly Rail[];
  readonly chain: Chain;
  readonly policies: Policies;
  readonly prices?: Prices;
  /** `client` where the owner wants payments to a server settled before the retry. */
  readonly settlement?: (upstream: string) => Offer['settlement'];
}

/** One account that could pay one offer. */
interface Way extends Payable {
  readonly offer: Offer;
  readonly rail: Rail;
  readonly payee: string;
  readonly memo: string | undefined;
}

/**
 * The first offer, in the owner's order (`paying` of the policy), that an account here can pay. Throws {@link NoOfferError}: the one
 * reason where all offers fail alike, else `NO_PAYABLE_OFFER`, with why each was not taken.
 */
export async function chooseOffer(ports: ChooseOfferPorts, { challenge, call, most }: Choosing, signal: AbortSignal): Promise<Choice> {
  const { keys, chain, policies, prices = NO_PRICES } = ports;
  const { policy } = policies.current();
  const refusals = new Map<Offer, BursarError>();
  const ways = challenge.offers.flatMap((offer, place) => refusing(refusals, offer, () => waysToPay(ports, { offer, place, most, challenge, upstream: call.upstream })) ?? []);
  for (const way of inOrder(ways, { paying: policy.paying, accounts: keys.accounts(), prices })) {
    try {
      if (way.rail.funds !== 'none') await requireBalance(chain, way, signal);
      const { offer, rail, asset, account } = way;
      const terms = termsOf(way, challenge, call);
      const fees = (await rail.fees?.(terms, signal, offer)) ?? [];
      // Nothing is held against the offers behind it, but what would have kept them from being paid.
      const considered = consider(challenge, (other): Fate => (other === offer ? 'taken' : (refusals.get(other) ?? 'behind')));
      return { offer, rail, asset, account, terms, fees, considered };
    } catch (error) {
      if (!isBursarError(error)) throw error;
      refusals.set(way.offer, error);
    }
  }
  const found = challenge.offers.map((offer) => refusals.get(offer) ?? new BursarError('INTERNAL', 'It was not looked at.'));
  throw new NoOfferError(
    summary(found),
    consider(challenge, (offer) => refusals.get(offer) ?? 'behind'),
  );
}

/** Runs `find`; what it throws of ours is noted as the offer's refusal. */
function refusing<T>(refusals: Map<Offer, BursarError>, offer: Offer, find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (!isBursarError(error)) throw error;
    refusals.set(offer, error);
    return undefined;
  }
}

/** The accounts that could pay an offer, as far as that shows without a network. Throws why none can. */
function waysToPay({ keys, rails, chain, policies, prices = NO_PRICES, settlement }: ChooseOfferPorts, { offer, place, most, challenge: { dialect, order }, upstream }: { offer: Offer; place: number; most: CallLimit | undefined; challenge: Challenge; upstream: string }): readonly Way[] {
  const { policy } = policies.current();
  const assets = assetsOf(policy);
  const network = findNetwork(offer.network);
  if (!network || !chain.networks().includes(network.id)) throw notEnabled(offer.network, network);
  const never = unsupported(offer);
  if (never !== undefined) throw new BursarError('FLOW_UNSUPPORTED', `It wants ${never}.`);
  const rail = railFor(rails, offer, { dialect, namespace: network.namespace, wanted: settlement?.(upstream) });
  if (!rail) throw new BursarError('NO_PAYABLE_OFFER', `It wants the payment scheme "${offer.scheme.slice(0, 40)}", which this wallet does not have.`);
  const asset = (order && assetOfTerms(assets, { ...offer, dialect })) ?? requireAsset(offer, network, assets);
  const { payee, memo } = rail.check(offer, asset);
  const own = keys.accounts();
  // The owner alone may move money from one account to another.
  if (!order?.byOwner && own.some(({ address, delegatedFrom }) => sameAddress(address, payee) || (delegatedFrom !== undefined && sameAddress(delegatedFrom, payee)))) {
    throw new BursarError('PAYEE_INVALID', `It wants to be paid at ${payee}, which is an account of this wallet.`);
  }
  const amount = parseBaseUnits(offer.amount);
  if (most) requireWithin(most, asset, amount);

  const reachable = own.filter((candidate) => candidate.namespace === network.namespace && mayPay(candidate, { payee, order }));
  if (reachable.length === 0) throw order?.payer === undefined ? accountMissing(network) : payerMissing(order.payer, network, own);
  const accounts = reachable.filter((candidate) => order?.byOwner === true || paysItself(candidate, own, policy.paying));
  if (accounts.length === 0) throw new BursarError('ACCOUNT_MISSING', `The account ${reachable.map(({ address }) => address).join(', ')} lets another account spend for it, and does not pay itself.`, { hint: 'The owner can let it pay by naming it in the policy (paying.accounts).' });
  const judged = accounts.map((account) => ({ account, above: aboveMaximum({ account, asset, amount }, policy.paying, { assets, prices }) }));
  const able = judged.filter(({ above }) => above === undefined);
  const [first] = judged;
  if (able.length === 0 && first?.above) throw first.above;
  return able.map(({ account }) => ({ account, asset, amount, place, offer, rail, payee, memo }));
}

/** Of an order: the account that it names, if any, and never the one that it pays. */
const mayPay = ({ address, delegatedFrom, source }: Account, { payee, order }: { payee: string; order: Challenge['order'] }): boolean =>
  source !== 'watch' && (!order || ((order.payer === undefined || sameAddress(order.payer, address)) && !sameAddress(delegatedFrom ?? address, payee)));

/**
 * An account that lets another one of this wallet spend for it limits on the chain what can be spent. It would be no limit if the account paid
 * besides: it does so for the owner's own orders, and where the owner named it among those that pay.
 */
const paysItself = ({ namespace, address }: Account, accounts: readonly Account[], paying: Paying | undefined): boolean =>
  !accounts.some((other) => other.namespace === namespace && other.delegatedFrom === address) || (paying?.accounts ?? []).some((entry) => sameAddress(entry.account, address));

/** Beside the chains stand ways to pay that an account alone opens: there is no network to enable for them. */
function notEnabled(named: string, network: Network | undefined): BursarError {
  if (!network) return new BursarError('NETWORK_UNSUPPORTED', `It wants to be paid on ${named}, a network that Bursar does not know.`, { hint: 'Nothing was paid.' });
  if (network.namespace === 'dev' || network.namespace === 'stripe') return accountMissing(network);
  return new BursarError('NETWORK_UNSUPPORTED', `It wants to be paid on ${network.name}, which is not enabled here.`, { hint: 'The owner can enable it, if it is of the kind of money that this Bursar runs on.' });
}

/** The account that an order names cannot pay it. */
function payerMissing(payer: string, { namespace, name }: Network, own: readonly Account[]): BursarError {
  const named = own.find((account) => account.namespace === namespace && sameAddress(account.address, payer));
  if (named?.source === 'watch') return new BursarError('ACCOUNT_MISSING', `The account ${named.address} is only watched, and cannot pay: its key lies elsewhere.`, { hint: 'Nothing was sent. Import its key, or let another account pay.' });
  if (named) return new BursarError('ACCOUNT_MISSING', `The account ${named.address} would pay itself.`, { hint: 'Nothing was sent. Let another account pay.' });
  return new BursarError('ACCOUNT_MISSING', `There is no account ${payer.slice(0, 80)} here that could pay on ${name}.`, { hint: 'Nothing was sent.' });
}

function accountMissing({ namespace, name }: Network): BursarError {
  if (namespace === 'stripe') return new BursarError('ACCOUNT_MISSING', 'It wants to be paid by card, and no card is added.', { hint: 'The owner can add one: bursar account add --stripe.' });
  if (namespace === 'dev') return new BursarError('ACCOUNT_MISSING', 'It wants to be paid with a shared development secret, and none is added.', { hint: 'The owner can add one on play money: bursar account add --dev-secret.' });
  return new BursarError('ACCOUNT_MISSING', `There is no account for ${name}.`);
}

/** Throws `BUDGET_EXCEEDED` above what the call may cost. Digits finer than the token's only narrow. */
function requireWithin({ amount: most, unit }: CallLimit, asset: Asset, amount: bigint): void {
  const [whole = '0', fraction = ''] = most.split('.');
  const limit = unit === 'units' ? BigInt(whole) : BigInt(whole + fraction.slice(0, asset.decimals).padEnd(asset.decimals, '0'));
  if (amount <= limit) return;
  const write = (units: bigint) => `${formatUnits(units, asset.decimals, 2)} ${asset.symbol}`;
  throw new BursarError('BUDGET_EXCEEDED', `It asks for ${write(amount)}, and this call may cost at most ${write(limit)}.`, { hint: 'Nothing was paid. Allow more with the call, if it is worth it.', context: { limit: 'call' } });
}

/** The token as the registry or the owner knows it. What the offer says of it is never used, but where it says otherwise that is told. */
function requireAsset(offer: Offer, network: Network, assets: Assets): Asset {
  const asset = assets.find(network.id, offer.asset);
  if (!asset) {
    const lookalike = lookalikeWords(offer, assets.list);
    if (lookalike !== undefined) throw new BursarError('ASSET_MISMATCH', `It ${lookalike}.`);
    throw new BursarError('ASSET_UNKNOWN', `It wants the token ${offer.asset} on ${network.name}, which is not in the registry.`);
  }
  const decimals = offer.extra.get('decimals');
  if (decimals !== undefined && decimals !== asset.decimals && decimals !== String(asset.decimals)) {
    const said = decimals instanceof RawNumber ? decimals.source : typeof decimals === 'object' ? 'no number' : String(decimals);
    throw new BursarError('ASSET_MISMATCH', `It counts ${asset.symbol} with ${said.slice(0, 20)} decimals, and the registry with ${asset.decimals}.`);
  }
  return asset;
}

const termsOf = ({ offer, rail, asset, account, amount, payee, memo }: Way, { dialect }: Challenge, call: CallTerms): Terms => ({
  ...call,
  dialect,
  scheme: offer.scheme,
  network: asset.network,
  asset: asset.address,
  amount,
  payee,
  payer: account.address,
  flow: rail.flow,
  ...(memo !== undefined && { memo }),
});

async function requireBalance(chain: Chain, { asset, account, amount }: Way, signal: AbortSignal): Promise<void> {
  // Of a delegate: what is left of the approval, and lies with its owner.
  const { address, delegatedFrom } = account;
  let balance = await chain.balance(asset, address, { signal });
  if (balance < amount) balance = await chain.balance(asset, address, { signal, fresh: true });
  if (balance >= amount) return;
  const write = (units: bigint) => `${formatUnits(units, asset.decimals, 2)} ${asset.symbol}`;
  if (delegatedFrom === undefined || isCoin({ asset: asset.address })) throw new BursarError('INSUFFICIENT_BALANCE', `The account ${address} holds ${write(balance)}, and ${write(amount)} is asked.`);
  throw new BursarError('INSUFFICIENT_BALANCE', `The account ${address} may spend ${write(balance)} of what ${delegatedFrom} holds, and ${write(amount)} is asked.`, {
    hint: 'The owner of that wallet can approve more (bursar delegation approve), or put money into it.',
  });
}

function summary(refusals: readonly BursarError[]): BursarError {
  const infos = refusals.map(toErrorInfo);
  const codes = new Set<ErrorCode>(infos.map((info) => info.code));
  const first = refusals[0];
  if (first && codes.size === 1) {
    const isOneHint = refusals.every(({ hint }) => hint === first.hint);
    const context = Object.fromEntries(Object.entries(first.context).filter(([key, value]) => refusals.every((other) => other.context[key] === value)));
    return new BursarError(first.code, [...new Set(infos.map((info) => info.message))].join(' '), { context, ...(isOneHint && { hint: first.hint }) });
  }
  return new BursarError('NO_PAYABLE_OFFER', infos.map((info, index) => `Offer ${index + 1}: ${info.message}`).join(' '));
}
