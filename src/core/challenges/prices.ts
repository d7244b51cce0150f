import { formatUnits } from '../../shared/money/money.ts';
import { isObject, member, RawNumber, type Json } from '../json/json.ts';
import { ASSETS, type Asset } from '../registry/assets.ts';
import { NETWORKS } from '../registry/networks.ts';
import { textOf, type ToolListing } from './answer.ts';

/** What a server says a call costs, before anybody has called. Its word only: what is paid is decided by the challenge. */
export interface ListedPrice {
  /** A decimal such as `0.01`. */
  readonly amount: string;
  /** Symbol of a token, or `USD`. */
  readonly currency: string;
}

const AMOUNT = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,18})?$/;
const CURRENCY = /^[A-Za-z][A-Za-z0-9]{0,9}$/;
const UNITS = /^(?:0|[1-9]\d{0,40})$/;

/**
 * The price in a tool's raw entry of `tools/list`, by the forms of wire-formats section 2: tool-level `payment`, `_meta.x402`,
 * `_meta["agents-x402/priceUSD"]`, `annotations.paymentPriceUSD`. Undefined where there is none, or none that can be read.
 */
export function listedPrice(listing: ToolListing): ListedPrice | undefined {
  const meta = listing.get('_meta');
  const payment = listing.get('payment');
  const required = member(payment, 'required') === false ? undefined : payment;
  return (
    pricedBy(required) ??
    pricedBy(member(meta, 'x402')) ??
    inDollars(member(meta, 'agents-x402/priceUSD')) ??
    inDollars(member(listing.get('annotations'), 'paymentPriceUSD'))
  );
}

/** A plain decimal as text, from a JSON number or string; undefined for anything else, also for an exponent. */
export function decimalText(value: Json | undefined): string | undefined {
  const text = value instanceof RawNumber ? value.source : typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  return AMOUNT.test(text) ? text : undefined;
}

const inDollars = (value: Json | undefined): ListedPrice | undefined => price(decimalText(value), 'USD');

/** An object with a price: a decimal with its currency, base units of a registered token, or x402 offers. */
function pricedBy(terms: Json | undefined): ListedPrice | undefined {
  if (!isObject(terms)) return undefined;
  const [first] = listOf(terms.get('accepts'));
  if (first !== undefined) return inToken(member(first, 'amount') ?? member(first, 'maxAmountRequired'), member(first, 'asset'), member(first, 'network'));
  const given = terms.get('price');
  if (isObject(given)) return inToken(given.get('amount'), member(given.get('asset'), 'address') ?? given.get('asset'), terms.get('network'));
  const dollars = /^\$\s?([\d.]+)$/.exec(textOf(given))?.[1];
  if (dollars !== undefined) return inDollars(dollars);
  return price(decimalText(given), textOf(terms.get('currency')) || 'USD');
}

/** Base units of a token that the registry knows; its decimals never come from the server. */
function inToken(units: Json | undefined, address: Json | undefined, network: Json | undefined): ListedPrice | undefined {
  const asset = tokenOf(address, network);
  return asset && typeof units === 'string' && UNITS.test(units) ? price(formatUnits(BigInt(units), asset.decimals, 2), asset.symbol) : undefined;
}

function tokenOf(address: Json | undefined, network: Json | undefined): Asset | undefined {
  if (typeof address !== 'string') return undefined;
  const id = network === undefined ? undefined : NETWORKS.find((known) => network === known.id || network === known.v1Name)?.id;
  if (network !== undefined && id === undefined) return undefined;
  return ASSETS.find((asset) => (id === undefined || asset.network === id) && asset.address.toLowerCase() === address.toLowerCase());
}

const price = (amount: string | undefined, currency: string): ListedPrice | undefined => (amount !== undefined && CURRENCY.test(currency) ? { amount, currency } : undefined);

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
