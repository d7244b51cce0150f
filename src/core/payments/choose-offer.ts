import { BursarError, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { formatUnits, parseBaseUnits } from '../../shared/money/money.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { Challenge, Offer } from '../challenges/dialect.ts';
import type { Account, Chain, Keys, Rail } from '../ports.ts';
import { findAsset, type Asset } from '../registry/assets.ts';
import { findNetwork } from '../registry/networks.ts';
import { railFor } from './rail-of.ts';
import type { Terms } from './terms.ts';

/** An offer that can be paid, and everything that paying it takes. */
export interface Choice {
  readonly offer: Offer;
  readonly rail: Rail;
  readonly asset: Asset;
  readonly account: Account;
  readonly terms: Terms;
}

/** The call that the money is for. */
export type CallTerms = Pick<Terms, 'client' | 'upstream' | 'tool' | 'argumentsHash'>;

export interface ChooseOfferPorts {
  readonly keys: Keys;
  readonly rails: readonly Rail[];
  readonly chain: Chain;
  /** `client` where the owner wants payments to a server settled before the retry. */
  readonly settlement?: (upstream: string) => Offer['settlement'];
}

/**
 * The first offer, in the server's order, that an account here can pay. Throws the one reason where all offers fail alike, else
 * `NO_PAYABLE_OFFER`, with why each was not taken.
 */
export async function chooseOffer(ports: ChooseOfferPorts, challenge: Challenge, call: CallTerms, signal: AbortSignal): Promise<Choice> {
  const refusals: BursarError[] = [];
  for (const offer of challenge.offers) {
    try {
      const choice = payable(ports, challenge, offer, call);
      if (choice.rail.funds !== 'none') await requireBalance(ports.chain, choice, signal);
      return choice;
    } catch (error) {
      if (!isBursarError(error)) throw error;
      refusals.push(error);
    }
  }
  throw summary(refusals);
}

function payable({ keys, rails, chain, settlement }: ChooseOfferPorts, challenge: Challenge, offer: Offer, call: CallTerms): Choice {
  const network = findNetwork(offer.network);
  if (!network || !chain.networks().includes(network.id)) {
    throw new BursarError('NETWORK_UNSUPPORTED', `It wants to be paid on ${network?.name ?? offer.network}, which is not enabled here.`);
  }
  const rail = railFor(rails, offer, { namespace: network.namespace, wanted: settlement?.(call.upstream) });
  if (!rail) throw new BursarError('NO_PAYABLE_OFFER', `It wants the payment scheme "${offer.scheme.slice(0, 40)}", which this wallet does not have.`);
  const asset = findAsset(network.id, offer.asset);
  if (!asset) throw new BursarError('ASSET_UNKNOWN', `It wants the token ${offer.asset} on ${network.name}, which is not in the registry.`);
  const { payee } = rail.check(offer, asset);
  const account = keys.accounts().find((candidate) => candidate.namespace === network.namespace);
  if (!account) throw new BursarError('ACCOUNT_MISSING', `There is no account for ${network.name}.`);
  const terms: Terms = {
    ...call,
    dialect: challenge.dialect,
    scheme: offer.scheme,
    network: network.id,
    asset: asset.address,
    amount: parseBaseUnits(offer.amount),
    payee,
    payer: account.address,
    flow: rail.flow,
  };
  return { offer, rail, asset, account, terms };
}

async function requireBalance(chain: Chain, { asset, account, terms }: Choice, signal: AbortSignal): Promise<void> {
  let balance = await chain.balance(asset, account.address, { signal });
  if (balance < terms.amount) balance = await chain.balance(asset, account.address, { signal, fresh: true });
  if (balance < terms.amount) {
    const write = (units: bigint) => `${formatUnits(units, asset.decimals, 2)} ${asset.symbol}`;
    throw new BursarError('INSUFFICIENT_BALANCE', `The account ${account.address} holds ${write(balance)}, and ${write(terms.amount)} is asked.`);
  }
}

function summary(refusals: readonly BursarError[]): BursarError {
  const infos = refusals.map(toErrorInfo);
  const codes = new Set<ErrorCode>(infos.map((info) => info.code));
  const first = refusals[0];
  if (first && codes.size === 1) return new BursarError(first.code, [...new Set(infos.map((info) => info.message))].join(' '));
  return new BursarError('NO_PAYABLE_OFFER', infos.map((info, index) => `Offer ${index + 1}: ${info.message}`).join(' '));
}
