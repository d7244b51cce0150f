import { isBursarError } from '../../shared/errors/errors.ts';
import { parseUnits } from '../../shared/money/money.ts';
import { isObject, member, type Json, type JsonObject } from '../json/json.ts';
import { findAsset } from '../registry/assets.ts';
import { NETWORKS, type NetworkId } from '../registry/networks.ts';
import type { Offer } from './dialect.ts';

/** What an MPX challenge asks for: `value` is a decimal, `units` the same in 10^-decimals. */
export interface MpxAmount {
  readonly value: string;
  readonly currency: string;
  readonly decimals: number;
  readonly units: bigint;
}

const MAX_DECIMALS = 30;
/** Life of a proof that has none of its own; the challenge's own expiry ends it earlier. */
const DEFAULT_TIMEOUT_S = 600;

/** An MPX amount, or undefined where it is none. */
export function readAmount(source: Json | undefined): MpxAmount | undefined {
  const value = member(source, 'value');
  const currency = member(source, 'currency');
  const decimals = member(source, 'decimals');
  if (typeof value !== 'string' || typeof currency !== 'string' || !/^[A-Za-z0-9]{1,12}$/.test(currency)) return undefined;
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS) return undefined;
  const units = exactUnits(value, decimals);
  return units === undefined ? undefined : { value, currency, decimals, units };
}

/** One entry of `accepts`, or why it cannot be read. Every number in it has to say what the challenge's amount says. */
export function readMpxOffer(source: Json, amount: MpxAmount, expiresAt: number): Offer | string {
  const rail = member(source, 'rail');
  const payee = member(source, 'payTo');
  const requirements = member(source, 'requirements');
  if (typeof rail !== 'string' || rail === '') return 'has no rail';
  if (typeof payee !== 'string' || payee === '' || payee.length > 128) return 'has no payTo';
  if (!isObject(requirements)) return 'has no requirements';
  const base = { payee, expiresAt, x402Version: 1, paymentFlow: 'authorization', source } as const;
  switch (rail) {
    case 'x402-evm-exact':
      return exactOffer(requirements, amount, base);
    case 'dev-signature':
      return devOffer(requirements, amount, base);
    case 'stripe-card':
      return cardOffer(requirements, amount, base);
    default:
      return `wants the rail "${rail.slice(0, 40)}", which this wallet does not have`;
  }
}

type Base = Pick<Offer, 'payee' | 'expiresAt' | 'x402Version' | 'paymentFlow' | 'source'>;

function exactOffer(requirements: JsonObject, { units, decimals }: MpxAmount, base: Base): Offer | string {
  const network = evmNetwork(requirements);
  const asset = requirements.get('asset');
  const timeout = requirements.get('maxTimeoutSeconds');
  const extra = requirements.get('extra') ?? new Map<string, Json>();
  if (requirements.get('scheme') !== 'exact') return 'is not of the scheme "exact"';
  if (network === undefined) return 'names no network, or another one by its name than by its chain id';
  if (typeof asset !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(asset)) return 'has no asset';
  if (!sameAddress(requirements.get('payTo'), base.payee)) return 'names two payees';
  if (typeof timeout !== 'number' || !Number.isSafeInteger(timeout) || timeout <= 0) return 'has no valid maxTimeoutSeconds';
  if (!isObject(extra)) return 'has an extra that is not an object';
  if (requirements.get('maxAmountRequired') !== units.toString()) return 'has a maxAmountRequired that is not the amount of the challenge';
  const known = findAsset(network, asset);
  if (known && known.decimals !== decimals) return `counts ${known.symbol} in ${decimals} decimals, and it has ${known.decimals}`;
  return { ...base, scheme: 'exact', network, asset, amount: units.toString(), maxTimeoutSeconds: timeout, extra };
}

/** The network by its x402 v1 name, its CAIP-2 id or its chain id; where several are given they have to agree. */
function evmNetwork(requirements: JsonObject): NetworkId | undefined {
  const name = requirements.get('network');
  const chainId = requirements.get('chainId');
  const byName = name === undefined ? undefined : NETWORKS.find(({ id, v1Name }) => name === v1Name || name === id)?.id;
  const byChainId: NetworkId | undefined = typeof chainId === 'number' && Number.isSafeInteger(chainId) && chainId > 0 ? `eip155:${chainId}` : undefined;
  if ((name !== undefined && byName === undefined) || (chainId !== undefined && byChainId === undefined)) return undefined;
  if (byName !== undefined && byChainId !== undefined && byName !== byChainId) return undefined;
  const network = byName ?? byChainId;
  return network?.startsWith('eip155:') ? network : undefined;
}

function devOffer(requirements: JsonObject, { value, currency, decimals, units }: MpxAmount, base: Base): Offer | string {
  if (requirements.get('scheme') !== 'hmac-sha256') return 'is not of the scheme "hmac-sha256"';
  if (requirements.get('payTo') !== base.payee) return 'names two payees';
  const same = requirements.get('amount') === value && requirements.get('currency') === currency && requirements.get('decimals') === decimals;
  if (!same) return 'asks for another amount than the challenge';
  return { ...base, scheme: 'dev-signature', network: 'dev:mpx', asset: currency, amount: units.toString(), maxTimeoutSeconds: DEFAULT_TIMEOUT_S, extra: requirements };
}

function cardOffer(requirements: JsonObject, { value, currency, units }: MpxAmount, base: Base): Offer | string {
  const intent = requirements.get('paymentIntentId');
  const secret = requirements.get('clientSecret');
  const charged = requirements.get('currency');
  const capture = requirements.get('captureMethod');
  const publishable = requirements.get('publishableKey');
  if (requirements.get('scheme') !== 'stripe-payment-intent') return 'is not of the scheme "stripe-payment-intent"';
  if (typeof intent !== 'string' || !/^pi_\w{1,250}$/.test(intent)) return 'has no PaymentIntent';
  if (typeof secret !== 'string' || !secret.startsWith(`${intent}_secret_`) || secret.length > 500) return 'has no client secret of its PaymentIntent';
  if (typeof charged !== 'string' || !/^[a-z]{3}$/.test(charged)) return 'has no currency';
  if (capture !== 'manual') return 'would take the money at once instead of holding it';
  if (publishable !== undefined && (typeof publishable !== 'string' || !/^pk_\w{1,250}$/.test(publishable))) return 'has no valid publishable key';
  if (!isSameCurrency(currency, charged)) return `charges ${charged}, and the challenge asks for ${currency}`;
  const minor = exactUnits(value, minorDigits(charged));
  const amount = requirements.get('amount');
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || minor !== BigInt(amount) || units === 0n) return 'charges another amount than the challenge';
  const extra: Record<string, Json> = { paymentIntentId: intent, clientSecret: secret, captureMethod: capture, ...(publishable !== undefined && { publishableKey: publishable }) };
  return { ...base, scheme: 'stripe-card', network: 'stripe:card', asset: charged, amount: minor.toString(), maxTimeoutSeconds: DEFAULT_TIMEOUT_S, extra: new Map(Object.entries(extra)) };
}

/** Stablecoins that a card may stand in for: a challenge has one amount for all of its rails. */
const FIAT_OF: Readonly<Record<string, string>> = { usdc: 'usd', usdt: 'usd', eurc: 'eur' };

const isSameCurrency = (asked: string, charged: string): boolean => {
  const lower = asked.toLowerCase();
  return lower === charged || (Object.hasOwn(FIAT_OF, lower) && FIAT_OF[lower] === charged);
};

/** Currencies that Stripe counts otherwise than in hundredths (Stripe API, "Supported currencies"). */
const WHOLE = new Set(['bif', 'clp', 'djf', 'gnf', 'jpy', 'kmf', 'krw', 'mga', 'pyg', 'rwf', 'vnd', 'vuv', 'xaf', 'xof', 'xpf']);
const THOUSANDTHS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const minorDigits = (currency: string): number => (WHOLE.has(currency) ? 0 : THOUSANDTHS.has(currency) ? 3 : 2);

const sameAddress = (a: Json | undefined, b: string): boolean => typeof a === 'string' && a.toLowerCase() === b.toLowerCase();

/** A decimal in base units; undefined where it is none, or would have to be rounded. Zeros that stand beyond the decimals change nothing. */
function exactUnits(value: string, decimals: number): bigint | undefined {
  const [, whole, digits = ''] = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(value) ?? [];
  if (whole === undefined) return undefined;
  const fraction = digits.slice(0, decimals);
  if (/[1-9]/.test(digits.slice(decimals))) return undefined;
  try {
    return parseUnits(`${whole.replace(/^0+(?=\d)/, '')}${fraction && `.${fraction}`}`, decimals);
  } catch (error) {
    if (isBursarError(error, 'AMOUNT_INVALID')) return undefined;
    throw error;
  }
}
